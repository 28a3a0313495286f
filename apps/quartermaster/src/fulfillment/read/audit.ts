import { toJson } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Audit, type AuditEntry, AuditEntrySchema } from '@quartermaster/api/fulfillment-extras';
import type { ServerFlags } from '../../server/server-flags.ts';
import { type Listing, type ListView, listingText } from '../../text/listing.ts';
import type { Output } from '../../text/output.ts';
import { type ListFlags, showList } from '../../text/show-list.ts';
import { clockText } from '../../text/time-text.ts';
import { kindTyped } from '../kinds/kinds.ts';
import { type ApiConnection, withApi } from '../objects/api-connection.ts';
import { findObjectIfAny } from '../objects/read-objects.ts';

export interface GetAuditFlags extends ServerFlags, ListFlags {
  readonly filter?: string | undefined;
  readonly limit?: number | undefined;
  readonly all: boolean;
}

const defaultLimit = 50;
const pageSize = 1000;

/** The audit log, the newest first: of everything, of a kind, or of one object. */
export async function getAudit(args: readonly string[], flags: GetAuditFlags, output: Output, signal: AbortSignal): Promise<void> {
  const [kind, name] = args;
  const limit = flags.limit ?? (flags.all ? undefined : defaultLimit);
  const read = (): Promise<readonly AuditEntry[]> =>
    withApi(flags, async (connection) =>
      readAudit(connection, { ...(await subjectOf(connection, kind, name)), filter: flags.filter ?? '', limit }),
    );
  await showList({ view: auditView, read }, flags, output, signal);
}

const auditView: ListView<readonly AuditEntry[]> = {
  list: (entries, { wide }) => auditListing(entries, { isWide: wide }),
  document: (entries) => ({ entries: entries.map((entry) => toJson(AuditEntrySchema, entry, { useProtoFieldName: true })) }),
};

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

/** As a part of a description. */
export const auditTable = (entries: readonly AuditEntry[]): string => listingText(auditListing(entries, { isWide: false }));

function auditListing(entries: readonly AuditEntry[], { isWide }: { readonly isWide: boolean }): Listing {
  const header = ['AT', 'WHO', 'ROLE', 'WHAT', 'KIND', 'OBJECT', 'CHANGES'];
  return {
    header: isWide ? [...header, 'FROM', 'METHOD', 'REQUEST'] : header,
    rows: entries.map((entry) => ({
      key: entry.requestId,
      cells: [
        entry.at === undefined ? '-' : clockText(timestampMs(entry.at)),
        entry.actor,
        entry.role,
        entry.outcome,
        entry.kind,
        entry.objectName === '' ? entry.objectId : entry.objectName,
        changesText(entry, isWide),
        ...(isWide ? [entry.peer, entry.method, entry.requestId] : []),
      ],
    })),
    whenEmpty: 'There are no audit entries.',
    notes: [],
  };
}

const maxShown = 3;

/** `spec.rack "a" → "b"`; of many changes only the names, and of very many only the first. */
function changesText({ changes }: AuditEntry, isWide: boolean): string {
  if (changes.length === 0) return '-';
  if (changes.length === 1 || isWide) {
    return changes
      .map(({ path, before, after }) => `${path} ${before === '' ? '' : `${before} → `}${after === '' ? 'removed' : after}`)
      .join(', ');
  }
  const shown = changes.slice(0, maxShown).map(({ path }) => path);
  return `${shown.join(', ')}${changes.length > maxShown ? ` +${changes.length - maxShown}` : ''}`;
}

async function subjectOf(connection: ApiConnection, kindText: string | undefined, name: string | undefined) {
  if (kindText === undefined) return { kind: '', objectId: '' };
  const kind = kindTyped(kindText);
  if (name === undefined) return { kind: kind.stored, objectId: '' };
  // Of what is gone the id alone is known, and its history is still there.
  const object = await findObjectIfAny(await connection.objects(kind.plural), name);
  return { kind: kind.stored, objectId: object?.id ?? name };
}
