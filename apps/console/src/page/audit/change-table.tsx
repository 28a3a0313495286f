import type { AuditEntry } from '../api/audit-entry.ts';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { valueWords } from './audit-words.ts';

/** Every field that a write changed: before and after. */
export function ChangeTable({ entry: { changes, method, peer, request_id: requestId } }: { readonly entry: AuditEntry }) {
  return (
    <>
      {changes.length > 0 && (
        <PlainTable layout="change-table" headings={['Field', 'Before', 'After']}>
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row" className="mono">
                {path}
              </th>
              <ChangeSide json={before} />
              <ChangeSide json={after} />
            </tr>
          ))}
        </PlainTable>
      )}
      <p className="dim facts-line">
        <span>
          by <span className="mono">{method}</span>
        </span>
        {peer !== '' && (
          <span>
            from <span className="mono">{peer}</span>
          </span>
        )}
        <span>
          request <span className="mono">{requestId}</span>
        </span>
      </p>
    </>
  );
}

function ChangeSide({ json }: { readonly json: string }) {
  return json === '' ? <td className="dim">nothing</td> : <td className="mono">{valueWords(json)}</td>;
}
