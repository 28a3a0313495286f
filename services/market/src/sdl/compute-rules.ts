import type { SDLInput } from '@akashnetwork/chain-sdk';
import { type FaultList, pointer, quoted } from './fault-list.ts';

type Resources = SDLInput['profiles']['compute'][string]['resources'];
type Gpu = NonNullable<Resources['gpu']>;
type Volume = Exclude<Resources['storage'], readonly unknown[]>;

const size = /^[0-9]+(?:\.[0-9]+)?(?:[kMGTPE]|[KMGTPE]i)$/;
const cpuUnits = /^[0-9]+(?:\.[0-9]+)?m?$/;
const gpuMemory = /^(?:[1-9][0-9]{0,8}[KM]i|[1-9][0-9]{0,5}Gi|[1-9][0-9]{0,2}Ti)$/;
const gpuModel = /^(?:\*|[a-zA-Z0-9][\w.-]{0,63})$/;
const volumeName = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const storageClass = /^[a-z0-9](?:[-.a-z0-9]{0,61}[a-z0-9])?$/;

const maxVolumes = 16;
const maxWants = 64;

const sizeRule = 'must be a number with one of the suffixes k, M, G, T, P, E (thousands) or Ki, Mi, Gi, Ti, Pi, Ei (1024), such as 512Mi';

/** What a compute profile may say beyond its schema. Sizes are bounded where all replicas are known. */
export function computeRules(resources: Resources, at: readonly string[], faults: FaultList): void {
  const { cpu, memory, gpu, storage } = resources;
  const path = pointer(...at);
  if (typeof cpu.units === 'string' && !cpuUnits.test(cpu.units)) {
    faults.add(`${path}/cpu/units`, 'BadFormat', 'units must be cores such as 0.5, or millicores such as 500m');
  }
  for (const [key, value] of Object.entries(cpu.attributes ?? {})) {
    const keyPath = `${path}/cpu/attributes${pointer(key)}`;
    if (key !== 'arch') faults.add(keyPath, 'UnknownField', 'is no attribute of a CPU here: remove it; there is arch');
    else if (value !== 'amd64') {
      faults.add(
        keyPath,
        'ArchitectureRefused',
        `arch ${quoted(String(value === null || typeof value === 'object' ? '' : value))} is refused: orders cannot ask for an architecture, and providers have amd64; remove it or give amd64`,
      );
    }
  }
  if (!size.test(memory.size)) faults.add(`${path}/memory/size`, 'BadFormat', `size ${sizeRule}`);
  if (gpu !== undefined) gpuRules(gpu, `${path}/gpu`, faults);
  storageRules(storage, `${path}/storage`, faults);
}

function gpuRules({ units, attributes }: Gpu, path: string, faults: FaultList): void {
  if (!/^[0-9]{1,9}$/.test(String(units))) faults.add(`${path}/units`, 'BadFormat', 'units must be a whole number of cards, 0 for none');
  const wants = attributes?.vendor?.nvidia;
  const wantsPath = `${path}/attributes/vendor/nvidia`;
  if (wants === undefined || wants === null) return;
  if (wants.length === 0) faults.add(wantsPath, 'Missing', 'nvidia is an empty list: name models, or leave it without a value for any');
  if (wants.length > maxWants) faults.add(wantsPath, 'OutOfRange', `nvidia has ${wants.length} entries; it may have at most ${maxWants}`);
  for (const [at, { model, ram }] of wants.slice(0, maxWants).entries()) {
    if (model === undefined) faults.add(`${wantsPath}/${at}/model`, 'Missing', 'model is missing: add it, "*" for any');
    else if (!gpuModel.test(model))
      faults.add(
        `${wantsPath}/${at}/model`,
        'BadFormat',
        'model must have 1 to 64 letters, digits, _, . and -, such as a100, or be "*" for any',
      );
    if (ram !== undefined && !gpuMemory.test(ram))
      faults.add(`${wantsPath}/${at}/ram`, 'BadFormat', 'ram must be a whole number with one of the suffixes Ki, Mi, Gi, Ti, such as 80Gi');
  }
}

function storageRules(storage: Resources['storage'], path: string, faults: FaultList): void {
  const volumes = Array.isArray(storage) ? storage : [storage];
  if (volumes.length > maxVolumes)
    faults.add(path, 'OutOfRange', `storage has ${volumes.length} volumes; it may have at most ${maxVolumes}`);
  const names = new Set<string>();
  for (const [at, volume] of volumes.slice(0, maxVolumes).entries()) {
    const volumePath = Array.isArray(storage) ? `${path}/${at}` : path;
    const { name = 'default' } = volume;
    if (!volumeName.test(name))
      faults.add(`${volumePath}/name`, 'BadName', 'the name of a volume must have 1 to 63 of a-z, 0-9 and -, and no - at either end');
    else if (names.has(name))
      faults.add(
        `${volumePath}/name`,
        'Duplicate',
        `two volumes are named ${quoted(name)}, as one without a name is "default": give another name`,
      );
    names.add(name);
    if (!size.test(volume.size)) faults.add(`${volumePath}/size`, 'BadFormat', `size ${sizeRule}`);
    attributeRules(volume, volumePath, faults);
  }
}

function attributeRules({ name, attributes }: Volume, path: string, faults: FaultList): void {
  const { persistent = false, class: named } = attributes ?? {};
  const isPersistent = persistent === true || persistent === 'true';
  if (!isPersistent && persistent !== false && persistent !== 'false') {
    faults.add(`${path}/attributes/persistent`, 'NotAllowed', 'persistent must be true or false');
    return;
  }
  if (named !== undefined && !storageClass.test(named)) {
    faults.add(`${path}/attributes/class`, 'BadName', 'class must be default, beta1, beta2, beta3, ram or the name of a storage class');
  } else if (named !== undefined && named !== 'ram' && !isPersistent) {
    faults.add(
      `${path}/attributes/class`,
      'NotAllowed',
      `only a persistent volume has the class ${quoted(named)}: add "persistent: true", or remove the class`,
    );
  }
  if (isPersistent && name === undefined)
    faults.add(path, 'Missing', 'a persistent volume needs a name, by which a service mounts it: add name');
}
