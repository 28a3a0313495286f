import type { ConsolePart } from '../../installation-view.ts';
import { partTone, sortParts } from '../model/part-order.ts';
import { Facts } from '../parts/facts.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { Since } from '../parts/time-ago.tsx';

// kind of part -> in words
const kinds: Readonly<Record<ConsolePart['kind'], string>> = { embedded: 'embedded', role: 'role', external: 'external' };

/** Every part with its health, what needs a person first. */
export function PartsTable({ parts }: { readonly parts: readonly ConsolePart[] }) {
  if (parts.length === 0) return <p className="empty-line">Nothing has been started yet; components appear here as they start.</p>;
  return (
    <PlainTable layout="parts-table" headings={['Part', 'State', 'For', 'Kind', 'Facts']}>
      {sortParts(parts).map((part) => (
        <tr key={part.name}>
          <th scope="row">{part.name}</th>
          <td>
            <StateWord tone={partTone(part.state)} word={part.state} />
            {part.reason !== undefined && <div className="reason-text">{part.reason}</div>}
          </td>
          <td className="number-left">{part.since !== undefined && <Since at={part.since} />}</td>
          <td className="dim">{kinds[part.kind]}</td>
          <td>
            {Object.keys(part.facts).length > 0 && (
              <Facts
                layout="facts"
                facts={Object.entries(part.facts).map(([name, value]) => [
                  name,
                  <span key={name} className="mono">
                    {value}
                  </span>,
                ])}
              />
            )}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}
