/** One line, as the pod wrote it. */
export interface LogLine {
  readonly pod: string;
  readonly text: string;
}

/** Lines are kept and drawn by the hundred: what is full does not change any more. */
interface LogBlock {
  readonly id: number;
  readonly lines: readonly LogLine[];
}

/** The end of a log. */
export interface LogBook {
  readonly blocks: readonly LogBlock[];
  /** Lines that were there and are not any more. */
  readonly dropped: number;
  readonly total: number;
}

export type { LogBlock };

export const emptyBook: LogBook = { blocks: [], dropped: 0, total: 0 };

export const mostLines = 5_000;
const blockSize = 100;
/** More of a line than anybody reads. */
const mostLength = 8_192;

/** With what came next; the oldest go when there are too many. */
export function withLines({ blocks, dropped, total }: LogBook, lines: readonly LogLine[]): LogBook {
  const last = blocks.at(-1);
  const isOpen = last !== undefined && last.lines.length < blockSize;
  const written = isOpen ? [...last.lines, ...lines] : lines;
  const kept: LogBlock[] = isOpen ? blocks.slice(0, -1) : [...blocks];
  let id = isOpen ? last.id : (last?.id ?? -1) + 1;
  for (let at = 0; at < written.length; at += blockSize, id += 1) kept.push({ id, lines: written.slice(at, at + blockSize) });
  const sum = total + lines.length;
  let gone = dropped;
  while (sum - gone > mostLines) gone += kept.shift()?.lines.length ?? 0;
  return { blocks: kept, dropped: gone, total: sum };
}

export const linesIn = ({ blocks }: LogBook): readonly LogLine[] => blocks.flatMap(({ lines }) => lines);

/** What somebody else has written as text alone: without colours and other orders to a terminal, and no longer than can be read. */
export function shownText(text: string): string {
  const plain = text.replaceAll(orders, '').replaceAll('\t', '    ').replaceAll(controls, '\ufffd');
  return plain.length <= mostLength ? plain : `${plain.slice(0, mostLength)} … ${plain.length - mostLength} more characters`;
}

// oxlint-disable-next-line no-control-regex -- sequences that colour a terminal begin with a control character
const orders = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)|\r$/g;
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Lines that have all the words, whatever their case. */
export function matcherOf(filter: string): ((line: LogLine) => boolean) | undefined {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  return ({ pod, text }) => {
    const line = `${pod} ${text}`.toLowerCase();
    return words.every((word) => line.includes(word));
  };
}
