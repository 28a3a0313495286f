import { readFile } from 'node:fs/promises';
import { type Clock, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import { FileWatch } from '@quartermaster/service';
import { Agent, fetch } from 'undici';

export interface TrustedFetchOptions {
  /** For messages: `console-inventory-ca-file`. */
  readonly setting: string;
  /** PEM; followed while it changes. Without one, the authorities that Node knows. */
  readonly caFile: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface TrustedFetch {
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

/** `fetch` that trusts the authorities of a file, and has no time limit on bodies: a stream may be quiet for long. */
export async function trustedFetch({ setting, caFile, clock, log }: TrustedFetchOptions): Promise<TrustedFetch> {
  let agent = agentOf(caFile === undefined ? undefined : await authoritiesIn(setting, caFile));
  const watch =
    caFile === undefined
      ? undefined
      : new FileWatch({
          paths: [caFile],
          clock,
          onChange: (snapshot) => {
            const content = snapshot.get(caFile);
            if (typeof content !== 'string') {
              log.error('authorities cannot be read, the last good ones stay in use', { setting, error: content });
              return;
            }
            // Answers that are on their way are finished.
            void agent.close();
            agent = agentOf(content);
          },
        });
  await watch?.start();
  return {
    fetch: (input, init) => fetch(input, { ...init, dispatcher: agent }),
    close: async () => {
      await watch?.close();
      await agent.destroy();
    },
  };
}

const agentOf = (ca: string | undefined): Agent => new Agent({ connect: { ca }, bodyTimeout: 0 });

async function authoritiesIn(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `${setting} ${path} cannot be read: ${messageOf(thrown)}`);
  }
}
