import type { Clock } from '@quartermaster/kernel';
import { formatTimestamp, type Queryable, type Statement, type Timestamp } from '@quartermaster/store';
import type { AuditOrigin } from './audit-entry.ts';

export interface RevealLogOptions {
  readonly database: Queryable;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly clock: Clock;
}

/** The object whose secrets are opened. */
export interface RevealedObject {
  /** The plural of the kind: `hosts`. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly createdAt: Timestamp;
}

/** What the audit log says of secrets that were opened. */
const revealed = 'revealed';

/** Entries that this process knows to be written, so that it need not ask the database: at most about 20 MB. */
const maxKnown = 100_000;

/**
 * Writes down who opens the secrets of which object: one entry of the audit log for each object, caller and hour, however many replicas are asked. The table `reveals` has the
 * time of the last entry; whoever sets it forward writes the next one, in the same statement. Its clock is that of PostgreSQL, which all replicas share.
 */
export class RevealLog {
  readonly #options: RevealLogOptions;
  readonly #knownUntil = new Map<string, number>(); // object and caller -> end of the hour, on the monotonic clock; the oldest first

  constructor(options: RevealLogOptions) {
    this.#options = options;
  }

  /** Resolves when it is written down. When that fails it throws, and nothing may be shown. */
  async record({ actor, role, peer, method, requestId }: AuditOrigin, { kind, id, name, createdAt }: RevealedObject): Promise<void> {
    const { database, newId, clock } = this.#options;
    const created = formatTimestamp(createdAt);
    const key = JSON.stringify([kind, id, created, actor, role]);
    const until = this.#knownUntil.get(key);
    if (until !== undefined && clock.monotonic() < until) return;
    const askedAt = clock.monotonic();
    const opened = [kind, id, actor, role, created];
    const [written] = await database.query<Remaining>(recordStatement, [...opened, newId(), peer, method, name, requestId]);
    // Nothing is written where another replica, or this one before its start, has done so within the hour.
    const [row] = written === undefined ? await database.query<Remaining>(recordedStatement, opened) : [written];
    this.#knownUntil.delete(key);
    if (row !== undefined) this.#remember(key, askedAt + row.remaining_ms);
  }

  #remember(key: string, until: number): void {
    this.#knownUntil.set(key, until);
    const [oldest] = this.#knownUntil.keys();
    if (oldest !== undefined && this.#knownUntil.size > maxKnown) this.#knownUntil.delete(oldest);
  }
}

interface Remaining {
  readonly remaining_ms: number;
}

const remaining = `(extract(epoch from at + interval '1 hour' - now()) * 1000)::float8 as remaining_ms`;

/** Goes by the key alone, so that its plan is right however much the table has grown since it was made. */
const recordStatement: Statement = {
  name: 'record-reveal',
  text: `with opened as (
      insert into reveals as r (kind, object_id, actor, role, created_at, at) values ($1, $2, $3, $4, $5::timestamptz, now())
      on conflict (kind, object_id, actor, role) do update set created_at = excluded.created_at, at = excluded.at
      where r.at <= excluded.at - interval '1 hour' or r.created_at <> excluded.created_at
      returning at
    ), told as (
      insert into audit (id, actor, role, peer, method, kind, object_id, object_name, changes, outcome, request_id)
      select $6, $3, $4, $7, $8, $1, $2, $9, '[]', '${revealed}', $10 from opened
    )
    select ${remaining} from opened`,
};

const recordedStatement: Statement = {
  name: 'recorded-reveal',
  text: `select ${remaining} from reveals where kind = $1 and object_id = $2 and actor = $3 and role = $4 and created_at = $5::timestamptz`,
};

/** Takes rows away that say nothing any more. */
export const pruneReveals: Statement = { name: 'prune-reveals', text: `delete from reveals where at < now() - interval '1 hour'` };
