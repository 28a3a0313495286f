import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { StreamEnd } from './close-words.ts';
import { openStream } from './open-stream.ts';
import { inputFrames, readFrame, resizeFrame } from './shell-frame.ts';
import type { OpenTerminal } from './terminal.ts';

export interface ShellAsked {
  readonly lease: string;
  readonly service: string;
  /** Counted from 0. */
  readonly replica: number;
  readonly command: readonly string[];
}

export type ShellState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'connecting' | 'open'; readonly asked: ShellAsked }
  /** `words`: how, as a sentence. */
  | { readonly kind: 'ended'; readonly asked: ShellAsked; readonly words: string };

export interface Shell {
  readonly state: ShellState;
  readonly open: (asked: ShellAsked) => void;
  readonly close: () => void;
}

/** A command in a lease on a terminal that is drawn into the element, one at a time. What it wrote stays until the next one begins. */
export function useShell(element: RefObject<HTMLElement | null>): Shell {
  const [state, setState] = useState<ShellState>({ kind: 'closed' });
  const ending = useRef(() => {});
  const open = useCallback(
    (asked: ShellAsked) => {
      ending.current();
      const began = new AbortController();
      ending.current = () => began.abort();
      setState({ kind: 'connecting', asked });
      const told = (next: ShellState): void => {
        if (!began.signal.aborted) setState(next);
      };
      runShell(element, asked, told, began.signal).catch(() => {
        told({ kind: 'ended', asked, words: 'The terminal cannot be loaded: load the page again.' });
      });
    },
    [element],
  );
  const close = useCallback(() => {
    ending.current();
    setState({ kind: 'closed' });
  }, []);
  useEffect(() => () => ending.current(), []);
  return { state, open, close };
}

async function runShell(
  element: RefObject<HTMLElement | null>,
  asked: ShellAsked,
  told: (state: ShellState) => void,
  signal: AbortSignal,
): Promise<void> {
  const { openTerminal } = await import('./terminal.ts');
  const { current } = element;
  if (signal.aborted || current === null) return;
  const { lease, service, replica, command } = asked;
  const words = Object.fromEntries(command.map((word, index) => [`cmd${index}`, word]));
  let result: string | undefined;
  const terminal: OpenTerminal = openTerminal(current, `Terminal of ${service}`, {
    input: (bytes) => {
      for (const frame of inputFrames(bytes)) stream.send(frame);
    },
    resized: (size) => stream.send(resizeFrame(size)),
  });
  const stream = openStream(
    { lease, kind: 'shell', query: { service, podIndex: replica, tty: 1, stdin: 1, ...words } },
    {
      opened: () => {
        told({ kind: 'open', asked });
        stream.send(resizeFrame(terminal.size));
        terminal.focus();
      },
      bytes: (bytes, taken) => {
        const said = readFrame(bytes);
        if (said?.kind === 'output') return terminal.write(said.bytes, taken);
        taken();
        if (said?.kind === 'result') result = resultWords(said);
        if (said?.kind === 'failure') result = `It failed: ${said.message.replace(/\.$/, '')}.`;
      },
      ended: (end) => {
        terminal.end();
        told({ kind: 'ended', asked, words: result ?? endWords(end) });
      },
    },
  );
  signal.addEventListener('abort', () => {
    stream.close();
    terminal.close();
  });
}

const resultWords = ({ exitCode, message }: { readonly exitCode: number; readonly message: string }): string =>
  `It ended with exit code ${exitCode}${message === '' ? '' : `: ${message.replace(/\.$/, '')}`}.`;

const endWords = ({ message }: StreamEnd): string => `${message}.`;
