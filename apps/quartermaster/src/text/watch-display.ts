import { formatEvent, type MachineFormat } from './format-document.ts';
import { KeptColumns } from './kept-columns.ts';
import type { Link } from './link.ts';
import { type Listing, type ListView, type Look, listingText } from './listing.ts';
import type { Output, TextStream } from './output.ts';
import { ago, clockText } from './time-text.ts';

/** What is known now and whether that is still confirmed. */
export interface Frame<State> {
  /** Undefined until something was heard. */
  readonly state: State | undefined;
  readonly link: Link;
}

/** Shows frame after frame. */
export interface WatchDisplay<State> {
  show(frame: Frame<State>, look: Look): void;
  /** Leaves the terminal as it was. */
  end(): void;
}

const enter = '\u001B[?1049h\u001B[?7l\u001B[?25l';
const leave = '\u001B[?25h\u001B[?7h\u001B[?1049l';
const home = '\u001B[H';
const restOfLine = '\u001B[K';
const restOfScreen = '\u001B[J';

/** In place, on a screen of its own; when it ends, the last frame stays on the usual one. */
export function terminalDisplay<State>(out: TextStream, view: ListView<State>): WatchDisplay<State> {
  let isOpen = false;
  let last: { readonly listing: Listing; readonly warning: string } | undefined;
  return {
    show({ state, link }, look) {
      if (!isOpen) out.write(enter);
      isOpen = true;
      const listing = state === undefined ? nothingYet : view.list(state, look);
      const warning = link.isLive ? '' : look.paint.bad(staleLine(link, look.now));
      const lines = [link.isLive ? look.paint.good('live') : warning, '', ...fittingLines(listing, heightOf(out) - 2)];
      if (state !== undefined) last = { listing, warning };
      out.write(`${home}${lines.map((line) => `${line}${restOfLine}`).join('\n')}${restOfScreen}`);
    },
    end() {
      if (!isOpen) return;
      isOpen = false;
      out.write(leave);
      if (last !== undefined) out.write(`${listingText(last.listing)}${last.warning === '' ? '' : `${last.warning}\n`}`);
    },
  };
}

const nothingYet: Listing = { header: [], rows: [], whenEmpty: 'Nothing is known yet.', notes: [] };

/** As much as the terminal has room for: rows give way to the totals below them, and what is left out is counted. */
function fittingLines(listing: Listing, height: number): readonly string[] {
  const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n');
  const notes = listing.notes.flatMap((note) => ['', ...linesOf(note)]);
  const room = Math.max(height - notes.length - 1, 1);
  if (listing.rows.length <= room) return linesOf(listingText(listing)).slice(0, height);
  const shown = listing.rows.slice(0, room - 1);
  const more = `… ${listing.rows.length - shown.length} more: enlarge the window, or name what you want to see`;
  return [
    ...linesOf(listingText({ ...listing, rows: shown, whenEmpty: more, notes: [] })),
    ...(shown.length === 0 ? [] : [more]),
    ...notes,
  ];
}

/** One line after the other, for files and pipes: everything at first, then each row that is new, different or gone. Problems go to `err`. */
export function appendingDisplay<State>({ out, err }: Output, view: ListView<State>): WatchDisplay<State> {
  const told = linkTeller(err);
  const columns = new KeptColumns();
  let known: ReadonlyMap<string, string> | undefined; // key -> its cells as one text
  return {
    show({ state, link }, look) {
      told(link, look);
      if (state === undefined) return;
      const listing = view.list(state, look);
      const now = new Map(listing.rows.map(({ key, cells }) => [key, cells.join('\t')]));
      const before = known;
      known = now;
      if (before === undefined) {
        columns.widen([listing.header, ...listing.rows.map(({ cells }) => cells)]);
        out.write(listingText(listing));
        return;
      }
      const changed = listing.rows.filter(({ key }) => before.get(key) !== now.get(key));
      const gone = [...before.keys()].filter((key) => !now.has(key)).map((key) => `${key}  gone\n`);
      const text = `${columns.text(changed.map(({ cells }) => cells))}${gone.join('')}`;
      if (text !== '') out.write(text);
    },
    end() {},
  };
}

/** For programs: `{"event": "added" | "changed" | "removed", "object": …}`, one for each thing. */
export function machineDisplay<State>({ out, err }: Output, view: ListView<State>, format: MachineFormat): WatchDisplay<State> {
  const told = linkTeller(err);
  let known: ReadonlyMap<string, string> = new Map(); // key -> its JSON
  return {
    show({ state, link }, look) {
      told(link, look);
      if (state === undefined) return;
      const objects = view.objects?.(state) ?? new Map<string, unknown>();
      const now = new Map([...objects].map(([key, object]) => [key, JSON.stringify(object)]));
      for (const [key, object] of objects) {
        const before = known.get(key);
        if (before !== now.get(key)) out.write(formatEvent({ event: before === undefined ? 'added' : 'changed', key, object }, format));
      }
      for (const key of known.keys()) if (!now.has(key)) out.write(formatEvent({ event: 'removed', key }, format));
      known = now;
    },
    end() {},
  };
}

/** Says once when the connection is lost and once when it is back. */
function linkTeller(err: TextStream): (link: Link, look: Look) => void {
  let wasLive: boolean | undefined;
  return (link, look) => {
    if (link.isLive === wasLive) return;
    if (!link.isLive) err.write(`${clockText(look.now)} ${staleLine(link, look.now)}\n`);
    else if (wasLive === false) err.write(`${clockText(look.now)} live again\n`);
    wasLive = link.isLive;
  };
}

function staleLine({ lastContactAt, reason }: Exclude<Link, { isLive: true }>, now: number): string {
  const since = lastContactAt === undefined ? 'nothing heard yet' : `stale since ${clockText(lastContactAt)} (${ago(now - lastContactAt)})`;
  return `${since}: ${reason}; trying again`;
}

function heightOf({ rows = 0 }: TextStream): number {
  return rows > 2 ? rows : 24;
}
