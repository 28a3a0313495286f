import type { Clock } from '@quartermaster/kernel';
import colours from 'yoctocolors';
import type { Output } from './output.ts';

/** One step of a start. Whoever begins it ends it, well or badly. */
export interface Step {
  update(detail: string): void;
  done(detail: string): void;
  fail(): void;
}

/** Steps for a person or, one JSON object per line, for a program. */
export interface Progress {
  step(name: string): Step;
  /** The whole is ready: `text` for people, `facts` for programs. */
  ready(text: string, facts: Readonly<Record<string, unknown>>): void;
  /** A line about something that happened. */
  say(event: string, text: string): void;
}

export function jsonProgress({ out }: Output, clock: Clock): Progress {
  const write = (line: Readonly<Record<string, unknown>>): void => {
    out.write(`${JSON.stringify({ time: new Date(clock.now()).toISOString(), ...line })}\n`);
  };
  return {
    step(name) {
      const startedMs = clock.monotonic();
      const tell = (state: string, detail?: string): void => {
        write({ event: 'step', step: name, state, detail, ms: Math.round(clock.monotonic() - startedMs) });
      };
      tell('started');
      return { update: (detail) => tell('running', detail), done: (detail) => tell('done', detail), fail: () => tell('failed') };
    },
    ready: (_text, facts) => write({ event: 'ready', ...facts }),
    say: (event, text) => write({ event, text }),
  };
}

/** On a terminal the running step is rewritten in place; elsewhere only ends of steps are lines. */
export function textProgress({ out, err }: Output, clock: Clock): Progress {
  const isTerminal = err.isTTY === true;
  const plain = (text: string): string => text;
  const paint = isTerminal ? colours : { green: plain, dim: plain };
  const redraw = (text: string): void => {
    if (isTerminal) err.write(`\r\u001B[K${text.slice(0, Math.max((err.columns ?? 80) - 1, 20))}`);
  };
  return {
    step(name) {
      const startedMs = clock.monotonic();
      const end = (mark: string, detail: string): void => {
        redraw('');
        const seconds = ((clock.monotonic() - startedMs) / 1000).toFixed(1);
        err.write(`${mark} ${name}${detail === '' ? '' : `: ${detail}`} ${paint.dim(`(${seconds} s)`)}\n`);
      };
      redraw(`  ${name} …`);
      return {
        update: (detail) => redraw(`  ${name}: ${detail} …`),
        done: (detail) => end(paint.green('✓'), detail),
        // The error that follows is the one line that tells of it.
        fail: () => redraw(''),
      };
    },
    ready: (text) => out.write(text),
    say: (_event, text) => err.write(`${text}\n`),
  };
}

/** Does the work as one step, which ends as the work does. */
export async function inStep<T>(
  progress: Progress,
  name: string,
  work: (step: Pick<Step, 'update'>) => Promise<{ readonly result: T; readonly detail: string }>,
): Promise<T> {
  const step = progress.step(name);
  try {
    const { result, detail } = await work(step);
    step.done(detail);
    return result;
  } catch (error) {
    step.fail();
    throw error;
  }
}
