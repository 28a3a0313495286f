import { countOf } from '../model/amounts.ts';
import { FieldFrame } from '../parts/field-frame.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import type { Preview } from './use-preview.ts';

interface ChangesPanelProps {
  readonly preview: Preview;
  /** Volumes whose loss was said yes to. */
  readonly confirmed: ReadonlySet<string>;
  readonly onConfirm: (volume: string, isConfirmed: boolean) => void;
}

type Fate = 'stops' | 'starts' | 'restarts' | 'keeps running';

/** What becomes of a service as a whole. */
function fateOf(service: string, { changes, restarted }: Preview): Fate {
  const is = (code: string): boolean => changes.some((change) => change.service === service && change.code === code);
  if (is('ServiceRemoved')) return 'stops';
  if (is('ServiceAdded')) return 'starts';
  return restarted.includes(service) ? 'restarts' : 'keeps running';
}

/** `db stops, store starts`. */
function fateWords(preview: Preview): string {
  const services = [...new Set(preview.changes.map(({ service }) => service))];
  const told = services.map((service) => [service, fateOf(service, preview)]).filter(([, fate]) => fate !== 'keeps running');
  if (told.length === 0) return 'no pod is restarted';
  const isRolling = told.some(([, fate]) => fate === 'restarts');
  return `${told.map((words) => words.join(' ')).join(', ')}${isRolling ? ': pods are replaced one after another' : ''}`;
}

/** What an update changes, which services restart, and which data would be gone. */
export function ChangesPanel({ preview, confirmed, onConfirm }: ChangesPanelProps) {
  const { changes, lost_volumes: lost } = preview;
  return (
    <section className="panel" aria-label="Changes">
      <header>
        <h2>{changes.length === 0 ? 'No changes to running services' : `${countOf(changes.length, 'change')} to running services`}</h2>
        <span className="dim">{fateWords(preview)}</span>
      </header>
      {changes.length > 0 && (
        <PlainTable headings={['Service', 'Change', '']} layout="lease-table update-table">
          {changes.map(({ service, code, message }) => (
            <tr key={`${service} ${code} ${message}`}>
              <th scope="row">{service}</th>
              <td>{message}</td>
              <td>{fateOf(service, preview)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
      {lost.map((volume) => (
        <FieldFrame
          key={volume}
          isCheck
          label={
            <>
              Permanently delete the data of <code>{volume}</code>
            </>
          }
        >
          {(control) => (
            <input
              {...control}
              type="checkbox"
              checked={confirmed.has(volume)}
              onChange={({ currentTarget }) => onConfirm(volume, currentTarget.checked)}
            />
          )}
        </FieldFrame>
      ))}
    </section>
  );
}
