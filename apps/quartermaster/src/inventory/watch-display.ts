import { ago } from '../status/status-text.ts';
import type { Output, TextStream } from '../text/output.ts';
import { table } from '../text/table.ts';
import { formatEvent, type MachineFormat } from './format-document.ts';
import { clockText } from './freshness-text.ts';
import type { Link } from './inventory-follower.ts';
import { type Listing, type Look, listingText, type Subject } from './listing.ts';

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
export function terminalDisplay<State>(out: TextStream, subject: Subject<State>): WatchDisplay<State> {
  let isOpen = false;
  let last = '';
  return {
    show({ state, link }, look) {
      if (!isOpen) out.write(enter);
      isOpen = true;
      const text = state === undefined ? 'Nothing is known yet.\n' : listingText(subject.list(state, look));
      const status = link.isLive ? look.paint.good('live') : look.paint.bad(staleLine(link, look.now));
      const lines = `${status}\n\n${text}`.trimEnd().split('\n');
      if (state !== undefined) last = text;
      out.write(
        `${home}${fitting(lines, heightOf(out))
          .map((line) => `${line}${restOfLine}`)
          .join('\n')}${restOfScreen}`,
      );
    },
    end() {
      if (isOpen) out.write(`${leave}${last}`);
      isOpen = false;
    },
  };
}

/** One line after the other, for files and pipes: everything at first, then each row that is new, different or gone. Problems go to `err`. */
export function appendingDisplay<State>({ out, err }: Output, subject: Subject<State>): WatchDisplay<State> {
  const told = linkTeller(err);
  let known: ReadonlyMap<string, string> | undefined; // key -> its cells as one text
  return {
    show({ state, link }, look) {
      told(link, look);
      if (state === undefined) return;
      const listing = subject.list(state, look);
      const now = new Map(listing.rows.map(({ key, cells }) => [key, cells.join('\t')]));
      if (known === undefined) out.write(listingText(listing));
      else out.write(changedLines(listing, known, now));
      known = now;
    },
    end() {},
  };
}

/** For programs: `{"event": "added" | "changed" | "removed", "object": …}`, one for each thing. */
export function machineDisplay<State>({ out, err }: Output, subject: Subject<State>, format: MachineFormat): WatchDisplay<State> {
  const told = linkTeller(err);
  let known: ReadonlyMap<string, string> = new Map(); // key -> its JSON
  return {
    show({ state, link }, look) {
      told(link, look);
      if (state === undefined) return;
      const objects = subject.objects(state);
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

function changedLines(listing: Listing, known: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string {
  // Laid out with all the others, so that columns keep their places.
  const [, ...lines] = table(
    listing.header,
    listing.rows.map(({ cells }) => cells),
  )
    .trimEnd()
    .split('\n');
  const changed = listing.rows.flatMap(({ key }, index) => (known.get(key) === now.get(key) ? [] : [`${lines[index] ?? ''}\n`]));
  const gone = [...known.keys()].filter((key) => !now.has(key)).map((key) => `${key}  gone\n`);
  return [...changed, ...gone].join('');
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

/** As many lines as the terminal has; the last one says what it lacks. */
function fitting(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const shown = lines.slice(0, height - 1);
  return [...shown, `… ${lines.length - shown.length} more lines: enlarge the window, or name what you want to see`];
}

function heightOf(out: TextStream): number {
  return 'rows' in out && typeof out.rows === 'number' && out.rows > 2 ? out.rows : 24;
}
