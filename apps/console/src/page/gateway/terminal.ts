/** The only file that loads the terminal emulator, and the one that is loaded when somebody opens a terminal. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { openUnderPolicy } from './open-under-policy.ts';

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalEvents {
  /** Somebody typed or pasted. */
  readonly input: (bytes: Uint8Array) => void;
  readonly resized: (size: TerminalSize) => void;
}

export interface OpenTerminal {
  readonly size: TerminalSize;
  /** Calls back once it is drawn, so that no more is asked for than can be shown. */
  readonly write: (bytes: Uint8Array, drawn: () => void) => void;
  readonly focus: () => void;
  /** Nothing is typed any more; what is there stays. */
  readonly end: () => void;
  readonly close: () => void;
}

const encoder = new TextEncoder();

/** A terminal that fills an element and follows its size and the colours of the page. */
export function openTerminal(element: HTMLElement, label: string, on: TerminalEvents): OpenTerminal {
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace',
    fontSize: 13,
    scrollback: 5_000,
    // Programs choose colours for another background.
    minimumContrastRatio: 4.5,
    theme: pageColours(element),
  });
  const fitting = new FitAddon();
  terminal.loadAddon(fitting);
  openUnderPolicy(() => terminal.open(element));
  terminal.textarea?.setAttribute('aria-label', label);
  const fit = (): void => {
    if (element.clientWidth > 0) fitting.fit();
  };
  fit();
  terminal.onData((text) => on.input(encoder.encode(text)));
  terminal.onBinary((text) => on.input(Uint8Array.from(text, (character) => character.charCodeAt(0))));
  terminal.onResize(on.resized);
  terminal.attachCustomKeyEventHandler(isForShell(terminal));
  const sizes = new ResizeObserver(fit);
  sizes.observe(element);
  const schemes = new MutationObserver(() => {
    terminal.options.theme = pageColours(element);
  });
  schemes.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
  return {
    get size() {
      return { cols: terminal.cols, rows: terminal.rows };
    },
    write: (bytes, drawn) => terminal.write(bytes, drawn),
    focus: () => terminal.focus(),
    end: () => {
      terminal.options.disableStdin = true;
      terminal.options.cursorInactiveStyle = 'none';
    },
    close: () => {
      sizes.disconnect();
      schemes.disconnect();
      terminal.dispose();
    },
  };
}

/** All keys are for the shell, but those that leave the terminal, and those that copy what is selected. */
const isForShell =
  (terminal: Terminal) =>
  ({ key, shiftKey, ctrlKey }: KeyboardEvent): boolean => {
    if (key === 'Tab' && shiftKey) return false;
    return !(ctrlKey && !shiftKey && key === 'c' && terminal.hasSelection());
  };

function pageColours(element: HTMLElement) {
  const colours = getComputedStyle(element);
  const named = (name: string): string => colours.getPropertyValue(name).trim();
  const [background, foreground, accent] = [named('--page'), named('--text'), named('--accent')];
  return { background, foreground, cursor: accent, cursorAccent: background, selectionBackground: named('--highlight') };
}
