import { celText } from '../../filter/cel-text.ts';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { hostKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { formatInteger } from '../model/amounts.ts';

/** More names than these nobody reads. */
const maxNamed = 12;

/** `gpu-01, gpu-02 and 3 more`: what people call the hosts, the first of many. */
export function useHostNames(ids: readonly string[]): string {
  const named = ids.slice(0, maxNamed);
  const filter = `this.id in [${named.map(celText).join(', ')}]`;
  const { data } = useObjects<ApiObject>(hostKind, { filter, limit: maxNamed }, { isWanted: named.length > 0 });
  const names = new Map(data?.items.map((host) => [host.id, nameOf(host)])); // id -> name
  const listed = named.map((id) => names.get(id) ?? id).join(', ');
  return ids.length > maxNamed ? `${listed} and ${formatInteger(ids.length - maxNamed)} more` : listed;
}
