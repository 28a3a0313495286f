import type { SearchHit } from '@quartermaster/api/inventory-views';
import type { Session } from '../session/session.ts';
import { type ApiObject, nameOf } from './api-object.ts';
import { callApi } from './call-api.ts';
import { clusterKind, hostKind, kindPath, may, type ObjectKind } from './object-kind.ts';

const maxPerKind = 6;

/** What can be found. Where it is shown, the pages know by the singular of the kind. */
const searched: readonly ObjectKind[] = [hostKind, clusterKind];

/** Objects of the API that the text names: the beginning of a name, or all of something that is of one machine alone. */
export async function searchObjects(session: Session, text: string, signal: AbortSignal): Promise<readonly SearchHit[]> {
  const found = await Promise.all(
    searched
      .filter((kind) => may(session, 'List', kind))
      .flatMap((kind) => filtersFor(session, kind, text).map((filter) => find(session, kind, filter, signal))),
  );
  const hits = new Map(found.flat().map((hit) => [`${hit.kind} ${hit.id}`, hit]));
  return [...hits.values()];
}

/** Each can be answered by an index, however many objects there are. */
export function filtersFor({ isStaff }: Pick<Session, 'isStaff'>, kind: ObjectKind, text: string): readonly string[] {
  const [whole, low, beyond] = [text, text.toLowerCase(), `${text.toLowerCase()}\u{10ffff}`].map((each) => JSON.stringify(each));
  const byName = `this.metadata.name >= ${low} && this.metadata.name < ${beyond}`;
  const byId = `this.id == ${whole}`;
  if (kind !== hostKind || !isStaff) return [byName, byId];
  const isAddress = /^[0-9a-f]*[:.][0-9a-f:.]+$/i.test(text);
  return [
    byName,
    `${byId} || this.spec.serial == ${whole} || this.spec.system_uuid == ${low}`,
    ...(isAddress ? [`this.spec.boot_mac == ${low} || this.spec.nics.exists(nic, nic.mac == ${low}) || this.spec.boot_ip == ${low}`] : []),
  ];
}

async function find(session: Session, kind: ObjectKind, filter: string, signal: AbortSignal): Promise<readonly SearchHit[]> {
  const { items } = await callApi<{ readonly items: readonly FoundObject[] }>(kindPath(session, kind), {
    query: { filter, order: 'metadata.name', limit: maxPerKind, skip_total: true },
    signal,
  });
  return items.map((object) => ({ kind: kind.singular, id: object.id, label: nameOf(object), detail: detailOf(object) }));
}

interface FoundObject extends ApiObject {
  readonly spec?: { readonly rack?: string; readonly title?: string; readonly serial?: string; readonly template?: string };
}

const detailOf = ({ spec = {} }: FoundObject): string =>
  [spec.rack, spec.title, spec.serial, spec.template].filter((text) => text !== undefined && text !== '').join(' · ');
