import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { reasonWords } from '@quartermaster/api/states';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { reservationsHref } from '../../model/addresses.ts';
import { amountText, exactText, lineName, reservedTitle, segmentsOf } from '../../model/capacity-words.ts';
import { totalOf } from '../../model/fill.ts';
import { type LineReason, lineWords } from '../../model/line-words.ts';
import { type LineReserved, lessReserved, type ReservedDivision } from '../../model/reserved.ts';
import { Changing } from '../changing.tsx';
import { Bar, BarNote } from './bar.tsx';

interface CapacityBarProps {
  readonly line: CapacityLine;
  /** What of it is reserved; undefined where nobody reserves. */
  readonly reserved?: LineReserved;
  /** Where its name leads. */
  readonly href?: string | undefined;
  /** Whether parts and reasons lead to the lists behind them. Default: they do. */
  readonly isLinked?: boolean | undefined;
  /** What else there is to say. */
  readonly note?: ReactNode;
}

/** How one resource divides: the bar, what can be sold of what there is, and why the rest cannot, each a link to the list behind it. */
export function CapacityBar({ line, reserved, href, isLinked = true, note }: CapacityBarProps) {
  const { unit, why } = line;
  const division = lessReserved(line.division, reserved);
  const total = totalOf(division);
  const words = lineWords(line, reserved);
  const reasonsOf = (state: LineReason['state']): readonly ReactNode[] =>
    words.reasons
      .filter((each) => each.state === state)
      .map(({ key, text, href: list }) =>
        isLinked ? (
          <Link key={key} href={list}>
            {text}
          </Link>
        ) : (
          <span key={key}>{text}</span>
        ),
      );
  return (
    <div className="share-row capacity-row" data-testid={`bar-${line.kind}-${line.name}`}>
      <h3>{href === undefined ? lineName(line) : <Link href={href}>{lineName(line)}</Link>}</h3>
      <Bar
        total={total}
        parts={Object.fromEntries(
          segmentsOf(line, reserved).map(({ label, amount, tone, href: list, title }) => [
            label,
            { amount, tone, href: isLinked ? list : undefined, title },
          ]),
        )}
      />
      <div className="share-words">
        <strong title={`${exactText(unit, division.sellable)} of ${exactText(unit, total)}`}>
          <Changing value={words.sellable}>{total === 0 ? 'unknown' : `${words.sellable} sellable`}</Changing>
        </strong>
        {total === 0 && why.map(({ code }) => <span key={code}>{reasonWords(code)}</span>)}
        {division.allocated > 0 && (
          <BarNote tone="allocated" title={exactText(unit, division.allocated)}>
            <Changing value={words.allocated}>{words.allocated}</Changing> allocated
          </BarNote>
        )}
        <ReservedNotes unit={unit} reserved={reserved} division={division} words={words.reserved} />
        {division.heldBack > 0 && (
          <BarNote tone="held" title={exactText(unit, division.heldBack)}>
            <Changing value={words.heldBack}>{words.heldBack}</Changing> held back: <Listed items={reasonsOf('held-back')} />
          </BarNote>
        )}
        {division.unknown > 0 && (
          <BarNote tone="unknown" title={exactText(unit, division.unknown)}>
            <Changing value={words.unknown}>{words.unknown}</Changing> unknown: <Listed items={reasonsOf('unknown')} />
          </BarNote>
        )}
        {note !== undefined && <span className="dim notes">{note}</span>}
      </div>
    </div>
  );
}

interface ReservedNotesProps {
  readonly unit: CapacityLine['unit'];
  readonly reserved: LineReserved;
  readonly division: ReservedDivision;
  /** What is reserved of what could be sold, as it adds up with the rest. */
  readonly words: string;
}

/** What is promised, in words: what of it could be sold otherwise, and what lies where nothing can be, or is more than there is. */
export function ReservedNotes({ unit, reserved, division, words }: ReservedNotesProps) {
  if (reserved === undefined || totalOf(division) === 0) return null;
  if (reserved === 'unknown') {
    return (
      <BarNote tone="unknown" title="The cluster service does not say what is reserved of it.">
        reserved unknown
      </BarNote>
    );
  }
  const { beyond } = division;
  return (
    <>
      {(division.reserved ?? 0) > 0 && (
        <BarNote tone="reserved" title={reservedTitle(unit, reserved)}>
          <Link href={reservationsHref}>
            <Changing value={words}>{words}</Changing> reserved
          </Link>
        </BarNote>
      )}
      {beyond > 0 && (
        <BarNote tone="failed" title={exactText(unit, beyond)}>
          {amountText(unit, beyond)} more reserved on nodes that take nothing new, or beyond what there is
        </BarNote>
      )}
    </>
  );
}

function Listed({ items }: { readonly items: readonly ReactNode[] }) {
  return items.flatMap((item, index) => (index === 0 ? [item] : [', ', item]));
}
