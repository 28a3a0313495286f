import { useClipboard } from '@mantine/hooks';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { countOf } from '../model/amounts.ts';
import { shortId } from '../model/short-id.ts';
import { type LogBlock, type LogBook, type LogLine, linesIn, matcherOf } from './log-book.ts';

interface LogViewProps {
  readonly book: LogBook;
  readonly label: string;
  readonly filter: string;
  readonly isWrapped: boolean;
  /** What to say where there is no line. */
  readonly empty: string;
}

/** So near to its end that somebody left it there. */
const nearEnd = 24;

/** Lines as they come. Nothing moves under the hand: it stands still while somebody has scrolled up, and counts what is new. */
export function LogView({ book, label, filter, isWrapped, empty }: LogViewProps) {
  const [halted, setHalted] = useState<LogBook>();
  const box = useRef<HTMLDivElement>(null);
  const shown = halted ?? book;
  const matches = matcherOf(filter);
  const hasPods = new Set(shown.blocks.flatMap(({ lines }) => lines.map(({ pod }) => pod))).size > 1;
  const { total } = shown;
  useLayoutEffect(() => {
    void [total, filter, isWrapped];
    const { current } = box;
    if (halted !== undefined || current === null) return;
    const end = (): void => current.scrollTo({ top: current.scrollHeight });
    end();
    // Another size of the window shows another part.
    const sizes = new ResizeObserver(end);
    sizes.observe(current);
    return () => sizes.disconnect();
  }, [total, filter, isWrapped, halted]);
  const scrolled = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    const isAtEnd = scrollHeight - scrollTop - clientHeight < nearEnd;
    setHalted((before) => (isAtEnd ? undefined : (before ?? book)));
  };
  const fresh = halted === undefined ? [] : linesIn(book).slice(Math.max(0, halted.total - book.dropped));
  const waiting = matches === undefined ? book.total - total : fresh.filter(matches).length;
  const isEmpty = matches === undefined ? total === 0 : !linesIn(shown).some(matches);
  return (
    <div className="log-frame">
      <div
        ref={box}
        className="log lease-log"
        role="log"
        aria-label={label}
        data-wrapped={isWrapped}
        data-named={hasPods}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        tabIndex={0}
        onScroll={scrolled}
      >
        {isEmpty && <p className="dim">{total === 0 ? empty : 'No line has all these words.'}</p>}
        {shown.blocks.map((block) => (
          <Lines key={block.id} block={block} filter={filter} />
        ))}
      </div>
      {halted !== undefined && (
        <button type="button" className="log-jump" onClick={() => setHalted(undefined)}>
          {waiting === 0 ? 'Jump to the end' : `${countOf(waiting, 'new line')}, jump to the end`}
        </button>
      )}
    </div>
  );
}

/** A block that is full is drawn once. */
const Lines = memo(function Lines({ block, filter }: { readonly block: LogBlock; readonly filter: string }) {
  const matches = matcherOf(filter) ?? (() => true);
  return block.lines.map((line, index) => (matches(line) ? <Line key={`${block.id} ${index}`} line={line} /> : null));
});

function Line({ line: { pod, text } }: { readonly line: LogLine }) {
  return (
    <div className="log-line">
      <span className="log-pod" title={pod}>
        {shortId(pod)}{' '}
      </span>
      <span>{text}</span>
    </div>
  );
}

/** Copies the lines that the filter leaves. */
export function CopyLog({ book, filter }: Pick<LogViewProps, 'book' | 'filter'>) {
  const { copied, copy } = useClipboard({ timeout: 2_000 });
  const take = (): void =>
    copy(
      linesIn(book)
        .filter(matcherOf(filter) ?? (() => true))
        .map(({ pod, text }) => `${pod} ${text}\n`)
        .join(''),
    );
  return (
    <button type="button" className="quiet-button" onClick={take} disabled={book.total === 0}>
      {copied ? 'copied' : 'Copy'}
    </button>
  );
}
