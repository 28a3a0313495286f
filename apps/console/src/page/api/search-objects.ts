import type { SearchHit } from '@quartermaster/api/inventory-views';
import { celText } from '../../filter/cel-text.ts';
import type { Session } from '../session/session.ts';
import { type ApiObject, nameOf } from './api-object.ts';
import { callApi } from './call-api.ts';
import { clusterKind, hostKind, kindPath, may, type ObjectKind, objectKinds } from './object-kind.ts';

const maxPerKind = 6;

/** Fewer characters of a serial number or an address would find half of the machines. */
const shortestPart = 3;

/** Something to look for, and what is found by it. */
interface Search {
  readonly kind: ObjectKind;
  readonly filter: string;
  readonly hitsOf: (objects: readonly FoundObject[], text: string) => readonly SearchHit[];
}

export interface FoundObject extends ApiObject {
  readonly spec?:
    | {
        readonly rack?: string | undefined;
        readonly title?: string | undefined;
        readonly serial?: string | undefined;
        readonly template?: string | undefined;
      }
    | undefined;
  readonly title?: string | undefined;
}

/** Objects of the API that the text names, and racks and tenants by what is in them or theirs, with the kinds that were looked through. */
export async function searchObjects(
  session: Session,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly hits: readonly SearchHit[]; readonly searched: readonly string[] }> {
  const searches = searchesFor(session, text);
  const found = await Promise.all(searches.map((search) => find(session, search, text, signal)));
  const hits = new Map(found.flat().map((hit) => [`${hit.kind} ${hit.id}`, hit]));
  const kinds = objectKinds.filter((kind) => may(session, 'List', kind)).map(({ plural }) => plural);
  const others = searches.some(({ hitsOf }) => hitsOf === racksIn) ? ['racks', 'tenants'] : [];
  return { hits: [...hits.values()], searched: [...kinds, ...others] };
}

/** What is asked of the API for a text. */
export function searchesFor(session: Session, text: string): readonly Search[] {
  const kinds = objectKinds.filter((kind) => may(session, 'List', kind));
  const named = kinds.map((kind) => ({ kind, filter: byName(text), hitsOf: objectsAs(kind) }));
  if (!session.isStaff || !kinds.includes(hostKind)) return named;
  const low = celText(text.toLowerCase());
  return [
    ...named,
    ...(text.length < shortestPart ? [] : [{ kind: hostKind, filter: byMachine(text), hitsOf: objectsAs(hostKind) }]),
    { kind: hostKind, filter: textIn('this.spec.rack', text), hitsOf: racksIn },
    ...(kinds.includes(clusterKind)
      ? [{ kind: clusterKind, filter: `this.metadata.tenants.exists(each, each.contains(${low}))`, hitsOf: tenantsIn }]
      : []),
  ];
}

const byName = (text: string): string => `this.metadata.name.contains(${celText(text.toLowerCase())}) || this.id == ${celText(text)}`;

/** Serial numbers, UUIDs, MACs and IPs, by any part of them and however they are written. A whole MAC or UUID is asked for as such, which the service finds by an index. */
function byMachine(text: string): string {
  const whole = wholeMark(text);
  if (whole !== undefined) return `${whole} || this.spec.serial in [${spellings(text).map(celText).join(', ')}]`;
  const parts = ['this.spec.serial', 'this.spec.boot_ip', 'this.spec.system_uuid', 'this.spec.boot_mac'].map((field) =>
    textIn(field, text),
  );
  const mac = macPart(text);
  return [
    ...parts,
    ...(mac === undefined
      ? []
      : [`this.spec.boot_mac.contains(${celText(mac)}) || this.spec.nics.exists(nic, nic.mac.contains(${celText(mac)}))`]),
  ].join(' || ');
}

function wholeMark(text: string): string | undefined {
  const mac = macPart(text);
  if (mac?.length === macLength) return `this.spec.boot_mac == ${celText(mac)} || this.spec.nics.exists(nic, nic.mac == ${celText(mac)})`;
  const uuid = uuidPart(text);
  return uuid === undefined ? undefined : `this.spec.system_uuid == ${celText(uuid)}`;
}

const macLength = '52:54:00:00:00:0a'.length;

/** The language tells small letters from capital ones. */
const spellings = (text: string): readonly string[] => [...new Set([text, text.toLowerCase(), text.toUpperCase()])];

const textIn = (field: string, text: string): string =>
  spellings(text)
    .map((spelling) => `${field}.contains(${celText(spelling)})`)
    .join(' || ');

/** `5254.0000.000A`, `52-54-00` and `525400` as the service keeps them: `52:54:00`. Undefined for what is no part of a MAC, or too little of one. */
export function macPart(text: string): string | undefined {
  const digits = text.toLowerCase().replaceAll(/[:.-]/g, '');
  if (!/^[0-9a-f]{4,12}$/.test(digits) || digits.length % 2 === 1) return undefined;
  return digits.match(/../g)?.join(':');
}

/** A whole UUID without its dashes, or with them elsewhere. */
export function uuidPart(text: string): string | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(digits);
  return parts?.slice(1).join('-');
}

const objectsAs =
  (kind: ObjectKind): Search['hitsOf'] =>
  (objects) =>
    objects.map((object) => ({ kind: kind.singular, id: object.id, label: nameOf(object), detail: detailOf(object) }));

/** The racks that the hosts found are in. */
const racksIn: Search['hitsOf'] = (hosts) =>
  [...new Set(hosts.flatMap(({ spec }) => spec?.rack ?? []))].map((rack) => ({ kind: 'rack', id: rack, label: rack, detail: '' }));

/** The tenants of the clusters found, as far as they are meant. */
const tenantsIn: Search['hitsOf'] = (clusters, text) =>
  [...new Set(clusters.flatMap(({ metadata }) => metadata.tenants))]
    .filter((tenant) => tenant.includes(text.toLowerCase()))
    .map((tenant) => ({ kind: 'tenant', id: tenant, label: tenant, detail: 'clusters of it' }));

async function find(session: Session, { kind, filter, hitsOf }: Search, text: string, signal: AbortSignal): Promise<readonly SearchHit[]> {
  // Many hosts are in one rack, and many clusters of one tenant.
  const limit = hitsOf === racksIn || hitsOf === tenantsIn ? 200 : 2 * maxPerKind;
  const { items } = await callApi<{ readonly items: readonly FoundObject[] }>(kindPath(session, kind), {
    query: { filter, order: hitsOf === racksIn ? 'spec.rack' : 'metadata.name', limit, skip_total: true },
    signal,
  });
  return hitsOf(items, text)
    .toSorted((a, b) => searchRank(a, text) - searchRank(b, text))
    .slice(0, maxPerKind);
}

const detailOf = ({ spec = {}, title }: FoundObject): string =>
  [spec.rack, spec.title, title, spec.serial, spec.template].filter((text) => text !== undefined && text !== '').join(' · ');

/** How well a hit fits: it has the name, its name begins with the text, holds it, or something else of it does. */
export function searchRank({ label, id }: Pick<SearchHit, 'label' | 'id'>, text: string): number {
  const [name, wanted] = [label.toLowerCase(), text.toLowerCase()];
  if (name === wanted || id === text) return 0;
  if (name.startsWith(wanted)) return 1;
  return name.includes(wanted) ? 2 : 3;
}
