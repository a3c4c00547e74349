import { encodeScene, type ProtocolScene } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { COMMON_SCENES, type Meaning, PROTOCOLS, parseFrames } from "./support/meaning.ts";

describe.each(COMMON_SCENES)("$name", (scene: ProtocolScene) => {
  const protocols = PROTOCOLS.filter(({ has = () => true }) => has(scene));
  const meanings = protocols.map((protocol) => protocol.read(parseFrames(encodeScene(protocol, scene).join(""))));
  const [first] = meanings as [Meaning];

  it("means the same in every protocol", () => {
    for (const [index, { name, tells }] of protocols.entries()) {
      const { text = "", ...rest } = meanings[index] ?? {};
      const { text: said, ...known } = first;
      expect([name, rest]).toEqual([name, known]);
      if (tells === "answer") expect(said.endsWith(text), `${name} answers ${text}`).toBe(true);
      else expect([name, text]).toEqual([name, said]);
    }
  });

  it.each(protocols)("means the same to a client of $name that was away after any event", (protocol) => {
    const whole = encodeScene(protocol, scene);
    for (const at of scene.events.keys()) {
      const frames = whole.slice(0, at).join("") + encodeScene(protocol, scene, at).join("");
      expect(protocol.read(parseFrames(frames)), `after event ${at}`).toEqual(meanings[protocols.indexOf(protocol)]);
    }
  });
});

it("tells enough runs, and some with an answer to an MCP call", () => {
  expect(COMMON_SCENES.length).toBeGreaterThan(15);
  const answers = COMMON_SCENES.filter((scene) =>
    PROTOCOLS.filter(({ has = () => true }) => has(scene)).some(
      (each) => each.tells === "answer" && each.read(parseFrames(encodeScene(each, scene).join(""))).text !== "",
    ),
  );
  expect(answers.length).toBeGreaterThan(10);
});
