import type { CapacityLine } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import { amountText, exactText, lineName, partText, segmentsOf, totalOf, withheldWords } from '../model/capacity-words.ts';
import { Bar, BarNote } from './bar.tsx';
import { Changing } from './changing.tsx';

interface CapacityBarProps {
  readonly line: CapacityLine;
  /** Where its name leads. */
  readonly href?: string | undefined;
}

/** How one resource divides: the bar, what can be sold of what there is, and why the rest cannot, each a link to the list behind it. */
export function CapacityBar({ line, href }: CapacityBarProps) {
  const { unit, division, why } = line;
  const total = totalOf(line);
  const sellable = `${partText(unit, division.sellable, total)} sellable`;
  return (
    <div className="share-row capacity-row" data-testid={`bar-${line.kind}-${line.name}`}>
      <h3>{href === undefined ? lineName(line) : <Link href={href}>{lineName(line)}</Link>}</h3>
      <Bar
        total={total}
        parts={Object.fromEntries(
          segmentsOf(line).map(({ label, amount, tone, href: list }) => [
            label,
            { amount, tone, href: list, title: `${exactText(unit, amount)} ${label}` },
          ]),
        )}
      />
      <div className="share-words">
        <strong title={`${exactText(unit, division.sellable)} of ${exactText(unit, total)}`}>
          <Changing value={sellable}>{total === 0 ? 'unknown' : sellable}</Changing>
        </strong>
        {division.allocated > 0 && (
          <BarNote tone="allocated" title={exactText(unit, division.allocated)}>
            <Changing value={division.allocated}>{amountText(unit, division.allocated)}</Changing> allocated
          </BarNote>
        )}
        <Doubt line={line} state="held-back" amount={division.heldBack} word="held back" tone="held" />
        <Doubt line={line} state="unknown" amount={division.unknown} word="unknown" tone="unknown" />
        {line.kind === 'class' && total === 0 && why.map((each) => <Why key={each.code} line={line} withheld={each} />)}
      </div>
    </div>
  );
}

interface DoubtProps {
  readonly line: CapacityLine;
  readonly state: 'held-back' | 'unknown';
  readonly amount: number;
  readonly word: string;
  readonly tone: 'held' | 'unknown';
}

/** An amount that cannot be sold, with the reasons in brackets. */
function Doubt({ line, state, amount, word, tone }: DoubtProps) {
  if (amount === 0) return null;
  const reasons = line.why.filter((each) => each.state === state);
  return (
    <BarNote tone={tone} title={exactText(line.unit, amount)}>
      <Changing value={amount}>{amountText(line.unit, amount)}</Changing> {word}
      {reasons.length > 0 && ': '}
      {reasons.map((each, index) => (
        <span key={each.code}>
          {index > 0 && ', '}
          <Why line={line} withheld={each} />
        </span>
      ))}
    </BarNote>
  );
}

function Why({ line, withheld }: { readonly line: CapacityLine; readonly withheld: CapacityLine['why'][number] }) {
  const { text, href } = withheldWords(line, withheld);
  return <Link href={href}>{text}</Link>;
}
