import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { AuditEntry } from '@quartermaster/api/fulfillment-extras';
import { conditionOf, deletionState, openingsFilter, sentenceCase } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import type { Ask } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import { formatDocument } from '../../text/format-document.ts';
import { entriesAt, isJsonObject, listAt, textAt } from '../../text/json-path.ts';
import { paintFor } from '../../text/paint.ts';
import { stateText } from '../../text/state-text.ts';
import { indented, table } from '../../text/table.ts';
import { ageText, type ColumnLook, columnsOf, displayName } from '../kinds/columns.ts';
import type { Kind, KindPlural, RelatedKind } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type ApiConnection, type ObjectApi, withApi } from '../objects/api-connection.ts';
import { NamesOfIds } from '../objects/names-of-ids.ts';
import { belowFilter, celText } from '../objects/object-filter.ts';
import { isRedacted, objectJson } from '../objects/object-json.ts';
import { findObject, readObjects, words } from '../objects/read-objects.ts';
import { type AuditQuestion, auditTable, readAudit } from './audit.ts';
import { changesFilter, type Openings, openingsText } from './openings.ts';
import { orProviderView, providerNote } from './provider-view.ts';

const recentEntries = 10;
/** Of people, and of controllers. */
const maxOpenings = 500;
const maxRelated = 100;

/** Everything about one object: its fields, conditions, what belongs to it and what was done with it lately. */
export const describeObject =
  (kind: KindPlural): Ask<ServerFlags> =>
  async ([name = ''], flags, { out }) => {
    const work = async (connection: ApiConnection): Promise<void> => {
      const api = await connection.objects(kind);
      const found = await findObject(api, name).catch((thrown: unknown) => {
        throw orProviderView(thrown, api.kind);
      });
      const object = objectJson(api.schema, found);
      const names = new NamesOfIds(connection);
      const objectId = textAt(object, 'id');
      const [related, audit, openings, note] = await Promise.all([
        Promise.all((api.kind.related ?? []).map((each) => relatedOf(connection, each, objectId))),
        auditOf(connection, api, { objectId, filter: changesFilter, limit: recentEntries }),
        api.kind.hasSecrets === true ? openingsOf(connection, api, object) : undefined,
        providerNote(connection, api.kind, object),
        names.learn(kind, [object]),
      ]);
      for (const { api: of, objects } of related) await names.learn(of.kind.plural, objects);
      const look = {
        exact: false,
        wide: false,
        now: Date.now(),
        paint: paintFor(out),
        nameOf: (to: KindPlural, id: string) => names.name(to, id),
      };
      out.write(`${objectDescription({ api, object, related, audit, openings }, look)}${note === undefined ? '' : `\n${note}\n`}`);
    };
    await withApi(flags, work, kindNamed(kind).server);
  };

export interface DescribedObject {
  readonly api: Pick<ObjectApi, 'kind' | 'isPrivate'>;
  readonly object: JsonObject;
  readonly related: readonly RelatedObjects[];
  /** Undefined where the caller may not see it. */
  readonly audit: readonly AuditEntry[] | undefined;
  /** Those that tell of its secrets being opened. */
  readonly openings?: Openings | undefined;
}

/** Those of a kind that belong to it. */
interface RelatedObjects {
  readonly api: Pick<ObjectApi, 'kind' | 'isPrivate'>;
  readonly objects: readonly JsonObject[];
}

export function objectDescription({ api, object, related, audit, openings }: DescribedObject, look: ColumnLook): string {
  const { id: _id, metadata: _metadata, status, ...fields } = object;
  const { conditions: _conditions, ...rest } = isJsonObject(status) ? status : {};
  const sections: readonly (readonly [string, string])[] = [
    ...(api.kind.sections === undefined
      ? ([
          ['Spec', fieldsText(isJsonObject(fields['spec']) && Object.keys(fields).length === 1 ? fields['spec'] : fields)],
          ['Status', fieldsText(rest)],
        ] as const)
      : Object.entries(api.kind.sections(object, look))),
    ['Conditions', conditionsText(object, look)],
    ...related.map((each) => [sentenceCase(words(each.api.kind.plural)), relatedText(each, look)] as const),
    ['References', referencesText(api.kind, object, look)],
    ['Secrets opened by', openings === undefined ? '' : openingsText(openings)],
    ['Recent changes', audit === undefined || audit.length === 0 ? '' : auditTable(audit)],
  ];
  const texts = sections.flatMap(([title, text]) => (text === '' ? [] : [`${title}\n${indented(text)}`]));
  return [headText(api, object, look), ...texts].join('\n');
}

function headText({ kind }: DescribedObject['api'], object: JsonObject, look: ColumnLook): string {
  const list = (path: string): string => listAt(object, path).join(', ');
  const pairs = (path: string): string =>
    entriesAt(object, path)
      .map(([key, value]) => `${key}=${String(value)}`)
      .join(', ');
  const created = textAt(object, 'metadata.creation_timestamp');
  const deleted = textAt(object, 'metadata.deletion_timestamp');
  const state = (kind.stateOf ?? deletionState)(object);
  const rows = [
    ['ID', textAt(object, 'id')],
    ['State', state === undefined ? '' : stateText(state, look.paint)],
    ['Tenants', list('metadata.tenants')],
    ['Labels', pairs('metadata.labels')],
    ['Annotations', pairs('metadata.annotations')],
    ['Created', created === '' ? '' : `${created} (${ageText(created, look.now)} ago) by ${list('metadata.creators') || 'nobody known'}`],
    [
      'Deleted',
      deleted === '' ? '' : `${deleted} (${ageText(deleted, look.now)} ago), waits for ${list('metadata.finalizers') || 'nobody'}`,
    ],
    ['Finalizers', list('metadata.finalizers')],
    ['Version', textAt(object, 'metadata.version') || '0'],
  ];
  return table(
    [sentenceCase(words(kind.singular)), displayName(object)],
    rows.filter(([, value]) => value !== ''),
  );
}

/** All fields, by the names that filters use. Of secrets only that they are there. */
function fieldsText(fields: JsonObject): string {
  return Object.keys(fields).length === 0 ? '' : formatDocument(shown(fields), 'yaml');
}

function shown(value: JsonValue): JsonValue {
  if (isRedacted(value)) return '(set, not shown)';
  if (Array.isArray(value)) return value.map(shown);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)])) : value;
}

function conditionsText(object: JsonObject, look: ColumnLook): string {
  const conditions = listAt(object, 'status.conditions').filter(isJsonObject);
  if (conditions.length === 0) return '';
  // Tenants get no messages: a column of dashes would look like something that is missing.
  const hasMessages = conditions.some((condition) => textAt(condition, 'message') !== '');
  return table(
    ['TYPE', 'STATUS', 'FOR', 'REASON', ...(hasMessages ? ['MESSAGE'] : [])],
    conditions.map((condition) => {
      const { word, says } = conditionOf({ type: textAt(condition, 'type'), status: textAt(condition, 'status') });
      const since = ageText(textAt(condition, 'last_transition_time'), look.now);
      const message = hasMessages ? [textAt(condition, 'message') || '-'] : [];
      return [word || '-', says, since, textAt(condition, 'reason') || '-', ...message];
    }),
  );
}

function relatedText({ api, objects }: RelatedObjects, look: ColumnLook): string {
  if (objects.length === 0) return '';
  const columns = columnsOf(api.kind, { isWide: false, isPrivate: api.isPrivate });
  return table(
    columns.map(({ header }) => header),
    objects.map((each) => columns.map((column) => column.cell(each, look))),
  );
}

/** The names of what the fields name by ids. */
function referencesText({ references }: Kind, object: JsonObject, look: ColumnLook): string {
  const rows = references.flatMap(([path, to]) => {
    const id = textAt(object, path);
    return id === '' || look.nameOf(to, id) === id ? [] : [`${path}: ${look.nameOf(to, id)} (${id})\n`];
  });
  return rows.join('');
}

async function relatedOf(connection: ApiConnection, { plural, reference }: RelatedKind, id: string): Promise<RelatedObjects> {
  const api = await connection.objects(plural);
  const filter = reference === undefined ? belowFilter(id) : `this.${reference} == ${celText(id)}`;
  const { items } = await readObjects(api, { filter, order: api.kind.order, limit: maxRelated });
  return { api, objects: items.map((each) => objectJson(api.schema, each)) };
}

/** Undefined where the caller may not see it. */
async function openingsOf(connection: ApiConnection, api: ObjectApi, object: JsonObject): Promise<Openings | undefined> {
  const [objectId, created] = [textAt(object, 'id'), textAt(object, 'metadata.creation_timestamp')];
  const read = (by: 'people' | 'controllers') =>
    auditOf(connection, api, { objectId, filter: openingsFilter(by, created), limit: maxOpenings + 1 });
  const [people, controllers] = await Promise.all([read('people'), read('controllers')]);
  if (people === undefined || controllers === undefined) return undefined;
  return {
    entries: [...people.slice(0, maxOpenings), ...controllers.slice(0, maxOpenings)],
    isCut: people.length > maxOpenings || controllers.length > maxOpenings,
  };
}

async function auditOf(
  connection: ApiConnection,
  { kind }: ObjectApi,
  question: Omit<AuditQuestion, 'kind'>,
): Promise<readonly AuditEntry[] | undefined> {
  try {
    return await readAudit(connection, { kind: kind.stored, ...question });
  } catch (thrown) {
    const isClosed = thrown instanceof StatusError && ['permission_denied', 'not_found'].includes(thrown.code);
    if (isClosed) return undefined;
    throw thrown;
  }
}
