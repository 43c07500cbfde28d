/**
 * How much of all bodies is read before other requests get their turn. A fast client fills its connection again while the last piece
 * is looked at, and Node reads two megabytes of each connection before it looks at others: six novels that arrive together
 * kept everybody waiting for 80 ms.
 */
const bytesPerTurn = 128 * 1024;

let leftBytes = bytesPerTurn;
let nextTurn: Promise<void> | undefined;

/** Resolves when these bytes may be worked on. */
export async function bodyTurn(bytes: number): Promise<void> {
  while (leftBytes <= 0) {
    nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        leftBytes = bytesPerTurn;
        nextTurn = undefined;
        resolve();
      });
    });
    await nextTurn;
  }
  leftBytes -= bytes;
}
