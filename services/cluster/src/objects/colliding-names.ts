import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import type { Reason } from '../placement/stock-facts.ts';
import { statefulSetName, volumeName } from './object-names.ts';

/** Long names of services are shortened for their StatefulSets and claims: what such a name is made of may be the name of another service. */
export function collidingNames({ services }: ManifestGroup): readonly Reason[] {
  const owners = new Map<string, string>(); // object -> the service that it is of
  return services.flatMap(({ name, resources }) => {
    const volumes = resources.volumes.filter(({ kind }) => kind === 'persistent');
    if (volumes.length === 0) return [];
    const set = statefulSetName(name);
    const objects = [`StatefulSet ${set}`, ...volumes.map((volume) => `PersistentVolumeClaim ${volumeName(name, volume.name)}-${set}`)];
    const other = objects.map((object) => owners.get(object)).find((owner) => owner !== undefined);
    for (const object of objects) owners.set(object, name);
    const message = `services ${other} and ${name} would have the same StatefulSet or volumes, since long names are shortened: rename one of them`;
    return other === undefined ? [] : [{ code: 'NamesCollide', message }];
  });
}
