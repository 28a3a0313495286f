import type { JsonObject } from '@bufbuild/protobuf';
import { isJsonObject, listAt, textAt } from '../text/json-path.ts';

/** What stops, and what data goes, with the leases of these groups: a part of a sentence. Empty where there are none. */
export function closingEffect(groups: readonly JsonObject[]): string {
  const names = groups.flatMap((group) => objectsAt(group, 'spec.services').map((service) => textAt(service, 'name')));
  if (names.length === 0) return '';
  const volumes = groups.flatMap((group) => objectsAt(group, 'spec.resources.units')).reduce((sum, unit) => sum + volumesOf(unit), 0);
  const stopped = names.length === 1 ? `service ${names[0]} is stopped` : `services ${names.join(', ')} are stopped`;
  return `${stopped}${volumes === 0 ? '' : `, and the data of ${volumes} ${volumes === 1 ? 'volume' : 'volumes'} is deleted`}`;
}

/** Of all its replicas. */
const volumesOf = (unit: JsonObject): number =>
  Number(textAt(unit, 'count')) * objectsAt(unit, 'volumes').filter((volume) => textAt(volume, 'kind') === 'VOLUME_KIND_PERSISTENT').length;

const objectsAt = (object: JsonObject, path: string): readonly JsonObject[] => listAt(object, path).filter(isJsonObject);
