import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import type { AuditEntry } from '../api/audit-entry.ts';
import { kindNamed, objectHref } from '../api/object-kind.ts';
import { StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { changesLine, methodWord, outcomeWords } from './audit-words.ts';
import { ChangeTable } from './change-table.tsx';

/** Entries of the audit log. A click on what changed shows all of it, before and after. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const [openId, setOpenId] = useState<string>();
  return (
    <PlainTable layout="audit-table" headings={['When', 'Who', 'What', 'Object', 'Changes']}>
      {entries.map((entry) => {
        const isOpen = openId === entry.id;
        const { tone, word } = outcomeWords(entry);
        const detailId = `audit-${entry.id}`;
        return (
          <Fragment key={entry.id}>
            <tr>
              <td className="audit-when">
                <TimeAgo at={Date.parse(entry.at)} />
              </td>
              <td>
                {entry.actor} <span className="dim">{entry.role === entry.actor ? '' : entry.role}</span>
              </td>
              <td>
                <StateWord tone={tone} word={word} />
              </td>
              <td>
                <EntryObject entry={entry} />
              </td>
              <td>
                <button
                  type="button"
                  className="link-button change-button"
                  aria-expanded={isOpen}
                  aria-controls={isOpen ? detailId : undefined}
                  onClick={() => setOpenId(isOpen ? undefined : entry.id)}
                >
                  <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {changesLine(entry) || methodWord(entry)}
                </button>
              </td>
            </tr>
            {isOpen && (
              <tr id={detailId} className="audit-detail">
                <td colSpan={5}>
                  <ChangeTable entry={entry} />
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </PlainTable>
  );
}

function EntryObject({ entry: { kind, object_id: id, object_name: name, outcome } }: { readonly entry: AuditEntry }) {
  const known = kindNamed(kind);
  if (known === undefined) return <span className="dim">none</span>;
  const words = name === '' ? id : name;
  return (
    <span className="audit-object">
      <span className="dim">{known.singular}</span>
      {outcome === 'archived' || id === '' ? <span>{words}</span> : <Link href={objectHref(known, id)}>{words}</Link>}
    </span>
  );
}
