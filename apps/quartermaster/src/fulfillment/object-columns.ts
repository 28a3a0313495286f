import type { JsonObject } from '@bufbuild/protobuf';
import type { Look } from '../text/listing.ts';
import { ago } from '../text/time-text.ts';
import type { KindPlural } from './kind-names.ts';
import { entriesAt, isJsonObject, listAt, textAt, valueAt } from './object-json.ts';

/** How a column shows an object. */
export interface Column {
  readonly header: string;
  /** Only with `-o wide`. */
  readonly isWide?: boolean;
  /** Only for those who see the provider's side. */
  readonly isPrivate?: boolean;
  cell(object: JsonObject, look: ColumnLook): string;
}

export interface ColumnLook extends Look {
  /** The name of what is referred to. */
  readonly nameOf: (kind: KindPlural, id: string) => string;
}

const nothing = '-';
const orNothing = (text: string): string => (text === '' ? nothing : text);

const text = (header: string, path: string, more: Pick<Column, 'isWide' | 'isPrivate'> = {}): Column => ({
  header,
  ...more,
  cell: (object) => orNothing(textAt(object, path)),
});

const reference = (header: string, path: string, kind: KindPlural, more: Pick<Column, 'isWide' | 'isPrivate'> = {}): Column => ({
  header,
  ...more,
  cell: (object, look) => orNothing(look.nameOf(kind, textAt(object, path))),
});

const name: Column = { header: 'NAME', cell: (object) => displayName(object) };
const age: Column = { header: 'AGE', cell: (object, { now }) => ageText(textAt(object, 'metadata.creation_timestamp'), now) };
const state: Column = { header: 'STATE', cell: (object, look) => stateText(object, look) };
const title = text('TITLE', 'title');
const common: readonly Column[] = [
  text('ID', 'id', { isWide: true }),
  { header: 'TENANTS', isWide: true, cell: (object) => orNothing(listAt(object, 'metadata.tenants').join(',')) },
  { header: 'LABELS', isWide: true, cell: (object) => orNothing(labelsText(object)) },
  { header: 'VERSION', isWide: true, cell: (object) => textAt(object, 'metadata.version') || '0' },
];

const columns: Readonly<Record<KindPlural, readonly Column[]>> = {
  hosts: [
    name,
    reference('CLASS', 'spec.class', 'host-classes'),
    { header: 'RACK', isPrivate: true, cell: (object) => rackText(object) },
    state,
    { header: 'POWER', cell: (object) => powerText(object) },
    reference('CLUSTER', 'status.cluster', 'clusters'),
    text('SOURCE', 'status.source.name', { isPrivate: true }),
    age,
    ...common,
    text('SERIAL', 'spec.serial', { isWide: true, isPrivate: true }),
    text('BOOT MAC', 'spec.boot_mac', { isWide: true, isPrivate: true }),
    text('BMC', 'spec.bmc.url', { isWide: true, isPrivate: true }),
    reference('HUB', 'status.hub', 'hubs', { isWide: true, isPrivate: true }),
  ],
  'host-classes': [name, title, age, ...common, text('DESCRIPTION', 'description', { isWide: true })],
  'cluster-templates': [
    name,
    title,
    { header: 'NODE SETS', cell: (object, look) => setsText(object, 'node_sets', look) },
    { header: 'PARAMETERS', cell: (object) => orNothing(parametersText(object)) },
    age,
    ...common,
  ],
  clusters: [
    name,
    reference('TEMPLATE', 'spec.template', 'cluster-templates'),
    state,
    { header: 'NODES', cell: (object) => nodesText(object) },
    reference('HUB', 'status.hub', 'hubs', { isPrivate: true }),
    text('API', 'status.api_url'),
    age,
    ...common,
    { header: 'NODE SETS', isWide: true, cell: (object, look) => setsText(object, 'spec.node_sets', look) },
    text('CONSOLE', 'status.console_url', { isWide: true }),
    text('ALIAS', 'status.alias', { isWide: true, isPrivate: true }),
    text('PORT', 'status.port', { isWide: true, isPrivate: true }),
  ],
  hubs: [
    name,
    text('NAMESPACE', 'namespace'),
    text('IP', 'ip'),
    { header: 'KUBECONFIG', cell: (object) => secretText(object) },
    age,
    ...common,
  ],
  'host-pools': [
    name,
    state,
    { header: 'HOSTS', cell: (object) => poolText(object) },
    { header: 'HOST SETS', cell: (object, look) => setsText(object, 'spec.host_sets', look) },
    reference('HUB', 'status.hub', 'hubs', { isPrivate: true }),
    age,
    ...common,
  ],
};

/** The columns of a kind for what the caller sees of it. */
export function columnsOf(
  kind: KindPlural,
  { isWide, isPrivate }: { readonly isWide: boolean; readonly isPrivate: boolean },
): readonly Column[] {
  return columns[kind].filter((column) => (isWide || column.isWide !== true) && (isPrivate || column.isPrivate !== true));
}

/** The name, or the id of what has none. */
export function displayName(object: JsonObject): string {
  return textAt(object, 'metadata.name') || textAt(object, 'id');
}

/** `HOST_STATE_READY` as `ready`. */
export function enumText(value: string): string {
  const word = value.replace(/^.*_(?:STATE|TYPE|STATUS)_/, '').toLowerCase();
  return word === 'unspecified' ? '' : word.replaceAll('_', ' ');
}

export function stateText(object: JsonObject, { paint }: Pick<Look, 'paint'>): string {
  if (textAt(object, 'metadata.deletion_timestamp') !== '') return paint.warn('deleting');
  const word = enumText(textAt(object, 'status.state'));
  if (isDisputed(object)) return paint.warn(word === '' ? 'disputed' : `${word}, disputed`);
  if (word === 'ready') return paint.good(word);
  if (word === 'failed') return paint.bad(word);
  return word === '' ? nothing : paint.warn(word);
}

/** More than one source claims the host: nobody gets it before that is settled. */
function isDisputed(object: JsonObject): boolean {
  return listAt(object, 'status.conditions')
    .filter(isJsonObject)
    .some(({ status, reason }) => status === 'CONDITION_STATUS_TRUE' && reason === 'SourceConflict');
}

/** `3h`; `-` when it never happened. */
export function ageText(stamp: string, now: number): string {
  return stamp === '' ? nothing : ago(now - Date.parse(stamp));
}

/** What it is, and what it shall be where that differs. */
function powerText(object: JsonObject): string {
  const [is, shall] = [enumText(textAt(object, 'status.power_state')), enumText(textAt(object, 'spec.power_state'))];
  if (is === '' || is === shall || shall === '') return orNothing(is || (shall === '' ? '' : `to be ${shall}`));
  return `${is}, to be ${shall}`;
}

function rackText(object: JsonObject): string {
  const [rack, unit] = [textAt(object, 'spec.rack'), textAt(object, 'spec.rack_unit')];
  return rack === '' ? nothing : unit === '' ? rack : `${rack} U${unit}`;
}

/** `workers: 3 gpu-large, 1 cpu-small`. */
function setsText(object: JsonObject, path: string, { nameOf }: ColumnLook): string {
  const sets = entriesAt(object, path).map(([key, set]) => {
    const [size, hostClass] = isJsonObject(set) ? [textAt(set, 'size') || '0', textAt(set, 'host_class')] : ['0', ''];
    return `${key}: ${[size, nameOf('host-classes', hostClass)].filter((part) => part !== '').join(' ')}`;
  });
  return orNothing(sets.toSorted().join(', '));
}

/** Assigned hosts of those that are wanted: `2/3`. */
function nodesText(object: JsonObject): string {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  const wanted = sum(entriesAt(object, 'spec.node_sets').map(([, set]) => (isJsonObject(set) ? Number(textAt(set, 'size')) : 0)));
  const assigned = sum(entriesAt(object, 'status.node_sets').map(([, set]) => (isJsonObject(set) ? listAt(set, 'hosts').length : 0)));
  return `${assigned}/${wanted}`;
}

function poolText(object: JsonObject): string {
  const wanted = entriesAt(object, 'spec.host_sets').reduce(
    (sum, [, set]) => sum + (isJsonObject(set) ? Number(textAt(set, 'size')) : 0),
    0,
  );
  return `${listAt(object, 'status.hosts').length}/${wanted}`;
}

function parametersText(object: JsonObject): string {
  return listAt(object, 'parameters')
    .filter(isJsonObject)
    .map((parameter) => `${textAt(parameter, 'name')}${valueAt(parameter, 'required') === true ? '*' : ''}`)
    .join(', ');
}

/** Whether there is one: never what it is. */
function secretText(object: JsonObject): string {
  if (valueAt(object, 'kubeconfig_ref') !== undefined) return 'reference';
  return valueAt(object, 'kubeconfig') === undefined ? nothing : 'stored';
}

function labelsText(object: JsonObject): string {
  return entriesAt(object, 'metadata.labels')
    .map(([key, value]) => (value === '' ? key : `${key}=${String(value)}`))
    .toSorted()
    .join(',');
}
