import { join } from "node:path";
import { pauseFor } from "../workload/pause-for.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";
import type { StoreAddress } from "./store-address.ts";
import type { StoreFault, StoreServer } from "./store-server.ts";

export interface EmbeddedOptions {
  readonly name: "sqlite" | "file";
  /** Whether stores are on a disk that can be filled up. */
  readonly hasSmallDisk: boolean;
}

/** Stores that need no server: what they keep is in the round's folder. */
export function createEmbeddedServer({ name, hasSmallDisk }: EmbeddedOptions): StoreServer {
  let disk: SmallDisk | undefined;
  const fillDisk: StoreFault = async (random) => {
    disk?.fill();
    await pauseFor(random.between(300, 1_500));
    disk?.free();
    return undefined;
  };
  return {
    name,
    hasOwnClock: false,
    async freshStore(folder) {
      disk = hasSmallDisk ? mountSmallDisk(folder) : undefined;
      const address = addressIn(name, disk?.folder ?? folder);
      return { address, addressFor: () => address, close: async () => await disk?.unmount() };
    },
    faults: hasSmallDisk ? { "disk full": fillDisk } : {},
    heal: async () => disk?.free(),
    close: async () => {},
  };
}

function addressIn(name: EmbeddedOptions["name"], folder: string): StoreAddress {
  if (name === "sqlite") return { kind: "sqlite", file: join(folder, "threads.db") };
  return { kind: "file", folder: join(folder, "threads") };
}
