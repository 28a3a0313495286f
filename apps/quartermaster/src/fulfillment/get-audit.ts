import { toJson } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Audit, type AuditEntry, AuditEntrySchema } from '@quartermaster/api/fulfillment-extras';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { clockText } from '../text/time-text.ts';
import { type ApiConnection, withApi } from './api-connection.ts';
import type { ApiFlags } from './api-flags.ts';
import { kindTyped } from './kind-names.ts';
import { findObjectIfAny } from './read-objects.ts';

export interface GetAuditFlags extends ApiFlags {
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
  readonly filter?: string;
  readonly limit?: number;
  readonly all: boolean;
}

const defaultLimit = 50;
const pageSize = 1000;

/** The audit log, the newest first: of everything, of a kind, or of one object. */
export async function getAudit(
  kindText: string | undefined,
  name: string | undefined,
  flags: GetAuditFlags,
  { out }: Output,
): Promise<void> {
  await withApi(flags, async (connection) => {
    const about = await subjectOf(connection, kindText, name);
    const limit = flags.limit ?? (flags.all ? undefined : defaultLimit);
    const entries = await readAudit(connection, { ...about, filter: flags.filter ?? '', limit });
    if (flags.output === 'json' || flags.output === 'yaml') {
      out.write(
        formatDocument({ entries: entries.map((entry) => toJson(AuditEntrySchema, entry, { useProtoFieldName: true })) }, flags.output),
      );
      return;
    }
    out.write(entries.length === 0 ? 'Nothing was written down.\n' : auditTable(entries, { isWide: flags.output === 'wide' }));
  });
}

export interface AuditQuestion {
  readonly kind: string;
  readonly objectId: string;
  readonly filter?: string;
  /** Undefined: all. */
  readonly limit: number | undefined;
}

export async function readAudit(connection: ApiConnection, { limit, ...question }: AuditQuestion): Promise<readonly AuditEntry[]> {
  const client = connection.client(Audit);
  const found: AuditEntry[] = [];
  for (let cursor = ''; ; ) {
    const wanted = limit === undefined ? pageSize : Math.min(limit - found.length, pageSize);
    const page = await client.list({ ...question, limit: wanted, cursor });
    found.push(...page.entries);
    cursor = page.nextCursor;
    if (cursor === '' || (limit !== undefined && found.length >= limit)) return found;
  }
}

export function auditTable(entries: readonly AuditEntry[], { isWide }: { readonly isWide: boolean }): string {
  const header = ['AT', 'WHO', 'ROLE', 'WHAT', 'KIND', 'OBJECT', 'CHANGES'];
  return table(
    isWide ? [...header, 'FROM', 'METHOD', 'REQUEST'] : header,
    entries.map((entry) => [
      entry.at === undefined ? '-' : clockText(timestampMs(entry.at)),
      entry.actor,
      entry.role,
      entry.outcome,
      entry.kind,
      entry.objectName === '' ? entry.objectId : entry.objectName,
      changesText(entry, isWide),
      ...(isWide ? [entry.peer, entry.method, entry.requestId] : []),
    ]),
  );
}

const mostShown = 3;

/** `spec.rack "a" → "b"`; of many changes only the names, and of very many only the first. */
function changesText({ changes }: AuditEntry, isWide: boolean): string {
  if (changes.length === 0) return '-';
  if (changes.length === 1 || isWide) {
    return changes
      .map(({ path, before, after }) => `${path} ${before === '' ? '' : `${before} → `}${after === '' ? 'removed' : after}`)
      .join(', ');
  }
  const shown = changes.slice(0, mostShown).map(({ path }) => path);
  return `${shown.join(', ')}${changes.length > mostShown ? ` +${changes.length - mostShown}` : ''}`;
}

async function subjectOf(connection: ApiConnection, kindText: string | undefined, name: string | undefined) {
  if (kindText === undefined) return { kind: '', objectId: '' };
  const kind = kindTyped(kindText);
  if (name === undefined) return { kind: kind.stored, objectId: '' };
  // Of what is gone the id alone is known, and its history is still there.
  const object = await findObjectIfAny(await connection.objects(kind.plural), name);
  return { kind: kind.stored, objectId: object?.id ?? name };
}
