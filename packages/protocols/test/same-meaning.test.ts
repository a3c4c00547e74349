import { encodeScene, type ProtocolScene } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { ALL_SCENES, isCommon, type Meaning, PROTOCOLS, parseFrames } from "./support/meaning.ts";

describe.each(ALL_SCENES)("$name", (scene: ProtocolScene) => {
  const protocols = PROTOCOLS.filter(({ has = () => true }) => has(scene));
  const meanings = protocols.map((protocol) => protocol.read(parseFrames(encodeScene(protocol, scene).join(""))));
  const [first] = meanings as [Meaning];

  const { text: said, ...known } = first;
  const told = protocols.map(({ name, tells }, index) => {
    const { text = "", ...rest } = meanings[index] ?? {};
    // A protocol that gives the answer alone gives the end of what was said.
    return { name, ...rest, text: tells === "answer" && said.endsWith(text) ? said : text };
  });
  const same = protocols.map(({ name }) => ({ name, ...known, text: said }));

  if (isCommon(scene)) it("means the same in every protocol", () => expect(told).toEqual(same));
  else it("is excused, because a protocol has other words for it", () => expect(told).not.toEqual(same));

  it.each(protocols)("means the same to a client of $name that was away after any event", (protocol) => {
    const whole = encodeScene(protocol, scene);
    for (const at of scene.events.keys()) {
      const frames = whole.slice(0, at).join("") + encodeScene(protocol, scene, at).join("");
      expect(protocol.read(parseFrames(frames)), `after event ${at}`).toEqual(meanings[protocols.indexOf(protocol)]);
    }
  });
});

it("tells enough runs, and some with an answer to an MCP call", () => {
  const common = ALL_SCENES.filter(isCommon);
  expect(common.length).toBeGreaterThan(15);
  const answers = common.filter((scene) =>
    PROTOCOLS.filter(({ has = () => true }) => has(scene)).some(
      (each) => each.tells === "answer" && each.read(parseFrames(encodeScene(each, scene).join(""))).text !== "",
    ),
  );
  expect(answers.length).toBeGreaterThan(10);
});
