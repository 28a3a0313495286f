import { codeOf, messageOf } from '@quartermaster/kernel';

export interface FailureText {
  readonly text: string;
  readonly exitCode: number;
}

/**
 * What a command says about what it could not do: one line for what a person can mend; with the stack for a bug, since
 * somebody has to find it.
 */
export function failureText(thrown: unknown): FailureText {
  const code = codeOf(thrown);
  // Several problems at once, as a file may have them, are a line each.
  const line = `quartermaster: ${messageOf(thrown)
    .trimEnd()
    .replaceAll(/\s*\n\s*/g, '\n  ')}\n`;
  if (code !== 'internal') return { text: line, exitCode: code === 'invalid_argument' ? 2 : 1 };
  const stack = thrown instanceof Error && thrown.stack !== undefined ? `${thrown.stack}\n` : '';
  return { text: `${line}${stack}`, exitCode: 1 };
}
