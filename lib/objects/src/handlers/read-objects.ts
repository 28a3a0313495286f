import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Principal } from '@quartermaster/auth';
import { type Clock, invalidFields, StatusError } from '@quartermaster/kernel';
import { type Database, GatheredReads, KeptTotals, listObjects, objectColumns, type Page, type StoredObject } from '@quartermaster/store';
import { compileOrder, type SqlParameters } from '@quartermaster/store/filter';
import type { AuditOrigin, RevealLog } from '../audit/index.ts';
import type { Kind } from '../kinds/index.ts';
import type { Call } from './call.ts';
import { KnownFilters } from './known-filters.ts';
import { checkMayReveal } from './may-reveal.ts';
import { maySee, scopeOf, seenColumns } from './visibility.ts';

/** The request of any List. */
export interface ListRequest {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly filter?: string | undefined;
  readonly order?: string | undefined;
  readonly cursor: string;
  readonly skipTotal: boolean;
}

/** The form in which the caller knows the objects of a kind. */
export interface ShownForm<M extends StoredObject> {
  readonly schema: DescMessage;
  /** Fields that filters and orders cannot name although the message has them. */
  readonly hidden: (path: readonly string[]) => boolean;
  /** For orders: the object in this form. Undefined where it is the stored one. */
  readonly show?: ((object: M) => Message) | undefined;
}

export interface ReaderOptions {
  readonly database: Pick<Database, 'query' | 'figures'>;
  readonly clock: Clock;
  readonly reveals: Pick<RevealLog, 'record'>;
}

const defaultLimit = 100;
const maxLimit = 1000;
/** What a Postgres bigint and an int32 of the contract both hold. */
const maxTotal = 2 ** 31 - 1;
const unknownTime = { seconds: 0n, nanos: 0 };

/** Reads objects of one kind as a caller sees them. */
export class ObjectReader<M extends StoredObject> {
  readonly kind: Kind<M>;
  readonly #options: ReaderOptions;
  readonly #filters = new KnownFilters();
  readonly #reads: GatheredReads<M>;
  readonly #totals: KeptTotals;

  constructor(kind: Kind<M>, options: ReaderOptions) {
    this.kind = kind;
    this.#options = options;
    this.#reads = new GatheredReads(options.database, kind.store);
    this.#totals = new KeptTotals({ clock: options.clock, figures: () => options.database.figures() });
  }

  async list(principal: Principal, request: ListRequest, form: ShownForm<M>): Promise<Page<M>> {
    const { schema, hidden, show } = form;
    const filterText = request.filter ?? '';
    const order = compileOrder(request.order ?? '', { message: schema, hidden });
    const query = {
      scope: scopeOf(this.kind, principal),
      filter: filterText.trim() === '' ? undefined : this.#filters.compile(filterText, schema, hidden),
      filterText,
      order,
      keyOf: show === undefined ? undefined : (object: M) => order.keyOf(show(object)),
      columns: (parameters: SqlParameters) => objectColumns(this.kind, seenColumns(principal, parameters)),
      ...pageOf(request),
      now: new Date(this.#options.clock.now()),
    };
    const page = await listObjects(this.#options.database, this.kind.store, query, this.#totals);
    return page.total === undefined ? page : { ...page, total: Math.min(page.total, maxTotal) };
  }

  /** Throws `not_found` for what is not there, and in the same words for what the caller may not see. */
  async get(principal: Principal, id: string): Promise<M> {
    checkId(id);
    return await this.#seen(principal, id, await this.#reads.get(id));
  }

  /** The same with its secrets: for those who may open them, and not before that is written down. */
  async reveal({ principal, origin }: Pick<Call, 'principal' | 'origin'>, id: string): Promise<M> {
    checkId(id);
    const object = await this.#seen(principal, id, await this.#reads.getRevealed(id));
    checkMayReveal(principal, this.kind, object);
    if (this.kind.store.hasSecrets(object)) await this.recordReveal(origin, object);
    return object;
  }

  /** Writes down that secrets of an object are opened: to be awaited before they are given out. */
  async recordReveal(origin: AuditOrigin, object: M): Promise<void> {
    const { id, metadata: { name, creationTimestamp: createdAt = unknownTime } = { name: '' } } = object;
    await this.#options.reveals.record(origin, { kind: this.kind.name, id, name, createdAt });
  }

  async #seen(principal: Principal, id: string, object: M | undefined): Promise<M> {
    if (object === undefined || !(await maySee(this.#options.database, this.kind, principal, object))) throw notFound(this.kind, id);
    return object;
  }

  /** Makes objects of the caller's own what is handed out. */
  withhold(objects: readonly M[]): void {
    for (const object of objects) this.kind.withhold?.(object);
  }
}

function pageOf(request: ListRequest): {
  readonly offset: number;
  readonly limit: number;
  readonly cursor: string;
  readonly isCounted: boolean;
} {
  const { offset = 0, limit = defaultLimit, cursor } = request;
  const violations = [];
  if (offset < 0) violations.push({ field: 'offset', description: 'must not be negative; leave it out to begin at the start' });
  if (limit < 0) violations.push({ field: 'limit', description: `must not be negative; leave it out for ${defaultLimit}` });
  if (cursor !== '' && offset > 0)
    violations.push({ field: 'offset', description: 'must not be given together with a cursor; leave it out' });
  if (violations.length > 0) throw invalidFields(violations);
  return { offset, limit: Math.min(limit, maxLimit), cursor, isCounted: !request.skipTotal };
}

export function checkId(id: string, field = 'id'): void {
  if (id === '') throw invalidFields([{ field, description: 'must not be empty; name the object' }]);
  // PostgreSQL cannot even be asked for it.
  if (id.includes('\0')) throw invalidFields([{ field, description: 'must not contain the character U+0000' }]);
}

const maxShownLength = 100;

export function notFound({ singular }: { readonly singular: string }, id: string): StatusError {
  const shown = id.length <= maxShownLength ? id : `${id.slice(0, maxShownLength)}…`;
  return new StatusError('not_found', `there is no ${singular} with the id "${shown}"`);
}
