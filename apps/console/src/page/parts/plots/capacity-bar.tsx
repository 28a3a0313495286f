import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { reasonWords } from '@quartermaster/api/states';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { exactText, lineName, segmentsOf } from '../../model/capacity-words.ts';
import { totalOf } from '../../model/fill.ts';
import { type LineReason, lineWords } from '../../model/line-words.ts';
import { Changing } from '../changing.tsx';
import { Bar, BarNote } from './bar.tsx';

interface CapacityBarProps {
  readonly line: CapacityLine;
  /** Where its name leads. */
  readonly href?: string | undefined;
  /** Whether parts and reasons lead to the lists behind them. Default: they do. */
  readonly isLinked?: boolean | undefined;
  /** What else there is to say. */
  readonly note?: ReactNode;
}

/** How one resource divides: the bar, what can be sold of what there is, and why the rest cannot, each a link to the list behind it. */
export function CapacityBar({ line, href, isLinked = true, note }: CapacityBarProps) {
  const { unit, division, why } = line;
  const total = totalOf(division);
  const words = lineWords(line);
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
          segmentsOf(line).map(({ label, amount, tone, href: list }) => [
            label,
            { amount, tone, href: isLinked ? list : undefined, title: `${exactText(unit, amount)} ${label}` },
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

function Listed({ items }: { readonly items: readonly ReactNode[] }) {
  return items.flatMap((item, index) => (index === 0 ? [item] : [', ', item]));
}
