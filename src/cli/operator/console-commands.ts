import { consoleWay } from '../../config.ts';
import { createSignInCode, linkMinutes } from '../../operators/console-session-store.ts';
import { commands } from '../command.ts';
import { printAnswer } from '../output.ts';
import { operatorSession } from './operator-session.ts';

export const consoleCommands = commands({
  'console link': {
    summary: 'Make a link that signs in to the console once, where it listens on this machine only and has no token.',
    examples: ['console link'],
    async run(args) {
      await using session = await operatorSession();
      const { config, db } = session;
      if (consoleWay(config) !== 'link')
        throw new Error(
          config.operatorToken
            ? 'TOLEDO_OPERATOR_TOKEN is set: sign in with it.'
            : 'the service does not listen on this machine only; set TOLEDO_OPERATOR_TOKEN for a console.',
        );
      const url = signInAddress(`http://${config.host}:${config.port}`, await createSignInCode(db));
      printAnswer(args, { url, expires_in_minutes: linkMinutes }, url);
    },
  },
});

export function signInAddress(rootUrl: string, code: string): string {
  return `${rootUrl}/console/sign-in?code=${code}`;
}
