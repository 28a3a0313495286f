import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';

export interface Asked {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

/** Resolves when the person at the terminal has typed yes; throws when they did not, and when nobody is there to ask. */
export async function confirmReset(directory: string, { input, output }: Asked): Promise<void> {
  if (input.isTTY !== true) {
    throw new StatusError(
      'failed_precondition',
      `--reset deletes what is kept in ${directory} and nobody is here to ask: add --yes if it is meant`,
    );
  }
  const questions = createInterface({ input, output });
  try {
    const answer = await questions.question(`Delete everything that \`quartermaster up\` keeps in ${directory}? Type yes: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new StatusError('failed_precondition', 'nothing was deleted and nothing was started');
  } finally {
    questions.close();
  }
}
