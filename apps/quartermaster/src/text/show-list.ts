import { Option } from 'commander';
import { formatDocument, type MachineFormat } from './format-document.ts';
import { type ListView, type Look, listingText } from './listing.ts';
import type { Output } from './output.ts';
import { paintFor } from './paint.ts';
import { type ShowOptions, showFrames } from './show-frames.ts';
import { appendingDisplay, machineDisplay, terminalDisplay, type WatchDisplay } from './watch-display.ts';

/** The flags of every list. */
export interface ListFlags {
  readonly output: 'table' | 'wide' | 'name' | MachineFormat;
  readonly exact?: boolean | undefined;
  readonly watch?: boolean | undefined;
}

/** What is asked for: how it is read once, and how it is followed. */
export interface ListSource<State> {
  readonly view: ListView<State>;
  readonly read: (signal: AbortSignal) => Promise<State>;
  /** Absent where it cannot be followed. */
  readonly watch?: () => Pick<ShowOptions<State>, 'frame' | 'follow'>;
  /** Why what was read is not all that was asked for. It is thrown after the rest was printed. */
  readonly missing?: (state: State) => Error | undefined;
}

export const outputOption = (...choices: readonly ListFlags['output'][]): Option =>
  new Option('-o, --output <format>', 'output format').choices(['table', ...choices]).default('table');

export const watchOption = (): Option => new Option('-w, --watch', 'watch for changes after listing').default(false);

/** Prints a list or, watching, shows it until the signal aborts. */
export async function showList<State>(source: ListSource<State>, flags: ListFlags, output: Output, signal: AbortSignal): Promise<void> {
  const { view } = source;
  const { output: format, exact = false } = flags;
  const look = (now: number): Look => ({ exact, wide: format === 'wide', now, paint: paintFor(output.out) });
  if (flags.watch === true && source.watch !== undefined) {
    const ticks = output.out.isTTY === true && !isMachine(format);
    await showFrames({ display: displayFor(view, format, output), look, ticks, ...source.watch() }, signal);
    return;
  }
  const state = await source.read(signal);
  const missing = source.missing?.(state);
  output.out.write(
    isMachine(format) ? formatDocument(view.document(state), format) : textFor(view, state, flags, look(Date.now()), missing),
  );
  if (missing !== undefined) throw missing;
}

function textFor<State>(
  view: ListView<State>,
  state: State,
  { output: format }: ListFlags,
  look: Look,
  missing: Error | undefined,
): string {
  if (format === 'name') return (view.names?.(state) ?? []).map((name) => `${name}\n`).join('');
  const listing = view.list(state, look);
  // That nothing of it exists is said by the error.
  return missing !== undefined && listing.rows.length === 0 ? '' : listingText(listing);
}

function displayFor<State>(view: ListView<State>, format: ListFlags['output'], output: Output): WatchDisplay<State> {
  if (isMachine(format)) return machineDisplay(output, view, format);
  return output.out.isTTY === true ? terminalDisplay(output.out, view) : appendingDisplay(output, view);
}

const isMachine = (format: ListFlags['output']): format is MachineFormat => format === 'json' || format === 'yaml';
