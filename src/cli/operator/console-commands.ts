import { consoleWay } from '../../config.ts';
import { createSignInCode, linkMinutes } from '../../operators/console-session-store.ts';
import type { Command } from '../command.ts';
import { printJson, printLine } from '../output.ts';
import { withOperatorSession } from './operator-session.ts';

const linkCommand: Command = {
  name: 'console link',
  positionals: [],
  options: {},
  summary: 'Make a link that signs in to the console once, where it listens on this machine only and has no token.',
  examples: ['console link'],
  async run(args) {
    await withOperatorSession(async ({ config, db }) => {
      if (consoleWay(config) !== 'link')
        throw new Error(
          config.operatorToken
            ? 'TOLEDO_OPERATOR_TOKEN is set: sign in with it.'
            : 'the service does not listen on this machine only; set TOLEDO_OPERATOR_TOKEN for a console.',
        );
      const url = signInAddress(`http://${config.host}:${config.port}`, await createSignInCode(db));
      if (args.json) return printJson({ url, expires_in_minutes: linkMinutes });
      printLine(url);
    });
  },
};

export function signInAddress(rootUrl: string, code: string): string {
  return `${rootUrl}/console/sign-in?code=${code}`;
}

export const consoleCommands: Command[] = [linkCommand];
