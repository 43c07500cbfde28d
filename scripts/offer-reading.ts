/** The end of the demo: the address of the book, and in a terminal that has a browser the offer to open it. */
import { spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline/promises';

export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Somebody can answer. */
  isInteractive: boolean;
  /** The program that opens an address in a browser; undefined where there is none. */
  opener: string | undefined;
}

/** Ends when nobody reads any more: the address works only as long as the demo's service runs. */
export async function offerReading(link: string, { input, output, isInteractive, opener }: Terminal): Promise<void> {
  output.write(`\nRead the book side by side, and correct it:\n  ${link}\n`);
  if (!isInteractive) {
    output.write('The address works while the demo runs, and it ends now. In a terminal it waits for you.\n');
    return;
  }
  const terminal = createInterface({ input, output });
  try {
    if (opener !== undefined && /^(?:y|yes|)$/i.test(await answerOf(terminal, 'Open it in your browser? [Y/n] ')))
      if (!(await opens(opener, link))) output.write('No browser could be opened; copy the address into one.\n');
    await answerOf(terminal, 'The address works until you press Enter. ');
  } finally {
    terminal.close();
  }
}

/** Ctrl-C and the end of the input are answers too: no more questions. */
async function answerOf(terminal: Interface, question: string): Promise<string> {
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('n')));
  return await Promise.race([terminal.question(question).catch(() => 'n'), ended]);
}

function opens(opener: string, link: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(opener, [link], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}

export function thisTerminal(): Terminal {
  const { stdin: input, stdout: output, env, platform } = process;
  const hasBrowser = platform === 'darwin' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return {
    input,
    output,
    isInteractive: input.isTTY === true && output.isTTY === true,
    opener: hasBrowser ? (platform === 'darwin' ? 'open' : 'xdg-open') : undefined,
  };
}
