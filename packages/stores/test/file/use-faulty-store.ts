import { onTestFinished } from "vitest";
import { FileDriver } from "../../src/file/file-driver.ts";
import { openFolder } from "../../src/file/folder/open-folder.ts";
import { StoreHandle } from "../../src/file/store-handle.ts";
import { createDurableStore } from "../../src/shell/create-durable-store.ts";
import { createFaultyDisk } from "./faulty-disk.ts";
import { usePlace } from "./temporary-file-store.ts";

/** A store on a disk that does what the test wants. */
export async function useFaultyStore() {
  const folder = usePlace();
  const faults = createFaultyDisk();
  const open = async () =>
    createDurableStore(new FileDriver(new StoreHandle(await openFolder(folder, faults.disk)), Date.now));
  const store = await open();
  onTestFinished(async () => {
    faults.hook = () => {};
    await store.close();
  });
  const restart = async () => {
    await store.close();
    const reopened = await open();
    onTestFinished(() => reopened.close());
    return reopened;
  };
  return { folder, faults, store, tenant: store.forTenant("default"), restart };
}
