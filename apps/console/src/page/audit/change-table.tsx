import type { AuditEntry } from '../api/audit-entry.ts';
import { valueWords } from './audit-words.ts';

/** Every field that a write changed: before and after. */
export function ChangeTable({ entry: { changes, method, peer, request_id: requestId } }: { readonly entry: AuditEntry }) {
  return (
    <>
      {changes.length > 0 && (
        <table className="plain-table change-table">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ path, before, after }) => (
              <tr key={path}>
                <th scope="row" className="mono">
                  {path}
                </th>
                <ChangeSide json={before} />
                <ChangeSide json={after} />
              </tr>
            ))}
          </tbody>
        </table>
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
