import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { failureText } from './failure-line.ts';

describe('failureText', () => {
  it('is one line without a stack for what a person can mend', () => {
    expect(failureText(new StatusError('unavailable', 'nothing runs here: start it'))).toEqual({
      text: 'quartermaster: nothing runs here: start it\n',
      exitCode: 1,
    });
  });

  it('has the exit code of wrong usage for wrong input, and a line for each problem', () => {
    expect(failureText(new StatusError('invalid_argument', 'a.yaml:1: x\na.yaml:2: y\n'))).toEqual({
      text: 'quartermaster: a.yaml:1: x\n  a.yaml:2: y\n',
      exitCode: 2,
    });
  });

  it('shows the stack of a bug', () => {
    const { text, exitCode } = failureText(new TypeError('x is not a function'));
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^quartermaster: x is not a function\nTypeError: x is not a function\n {4}at /);
  });
});
