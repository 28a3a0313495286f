import { parse } from 'yaml';
import { z } from 'zod';
import type { StorageClassFacts } from '../../model/storage-inventory.ts';
import type { LocalPathConfig, LocalPlaces } from './local-path-config.ts';

const localPathProvisioner = 'rancher.io/local-path';
const openebsLocalProvisioner = 'openebs.io/local';

/** Of the provisioner's own manifests, for a cluster whose configuration is elsewhere. */
const defaultLocalPath = '/opt/local-path-provisioner';
const defaultOpenebsPath = '/var/openebs/local';
const openebsConfig = 'cas.openebs.io/config';
const openebsSettings = z.array(z.object({ name: z.string(), value: z.string().optional() }));

/** Of a cluster without a configuration of local-path. */
export const defaultLocalPathConfig: LocalPathConfig = { placesOf: () => ({ kind: 'own', paths: [defaultLocalPath] }) };

export function isLocalProvisioner(provisioner: string | undefined): boolean {
  return provisioner === localPathProvisioner || provisioner === openebsLocalProvisioner;
}

/** Whether its volumes are folders. OpenEBS also hands out whole devices, by the same name. */
export function isLocalClass(storageClass: StorageClassFacts): boolean {
  const { provisioner } = storageClass;
  if (provisioner !== openebsLocalProvisioner) return isLocalProvisioner(provisioner);
  return (openebsSetting(storageClass, 'StorageType') ?? 'hostpath') === 'hostpath';
}

/** Where a class puts volumes, by node. No paths where it puts none. */
export function placesOf(storageClass: StorageClassFacts, config: LocalPathConfig): (node: string) => LocalPlaces {
  if (storageClass.provisioner === openebsLocalProvisioner) {
    const places: LocalPlaces = { kind: 'own', paths: [openebsSetting(storageClass, 'BasePath') ?? defaultOpenebsPath] };
    return () => places;
  }
  const { nodePath } = storageClass.parameters;
  return (node) => {
    const places = config.placesOf(storageClass.name, node);
    if (places.kind === 'shared' || nodePath === undefined) return places;
    return { kind: 'own', paths: places.paths.filter((path) => path === nodePath) };
  };
}

/** The class carries its settings as YAML: a list of names and values. */
function openebsSetting({ annotations }: StorageClassFacts, wanted: string): string | undefined {
  try {
    const settings = openebsSettings.parse(parse(annotations[openebsConfig] ?? '[]'));
    return settings.find(({ name }) => name === wanted)?.value;
  } catch {
    return undefined;
  }
}
