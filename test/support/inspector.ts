/**
 * Runs an expression inside a running process of the service, through the inspector that every Node process opens on SIGUSR1.
 * That is how a test makes a process hang or run out of memory for real. The process must have been started with
 * `inspectable`.
 */
import type { ServeProcess } from './toledo-process.ts';

/** A port of the system's choice, and not the one that all Node programs have in common. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=0' };

/** @param thread part of the address of a thread's main module; left out: the main thread */
export async function runInside(
  service: Pick<ServeProcess, 'stderr'>,
  pid: number,
  expression: string,
  thread?: string,
): Promise<void> {
  const addresses = () => [...service.stderr().matchAll(/Debugger listening on (ws:\S+)/g)].map(([, url]) => url);
  const before = addresses().length;
  process.kill(pid, 'SIGUSR1');
  while (addresses().length === before) await new Promise((resolve) => setTimeout(resolve, 20));
  const socket = new WebSocket(addresses().at(-1) as string);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const evaluate = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } });
  if (thread === undefined) return socket.send(evaluate);
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(data);
    if (method !== 'NodeWorker.attachedToWorker' || !params.workerInfo.url.includes(thread)) return;
    const message = { sessionId: params.sessionId, message: evaluate };
    socket.send(JSON.stringify({ id: 2, method: 'NodeWorker.sendMessageToWorker', params: message }));
  });
  socket.send(JSON.stringify({ id: 1, method: 'NodeWorker.enable', params: { waitForDebuggerOnStart: false } }));
}
