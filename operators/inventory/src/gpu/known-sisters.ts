import type { GpuModel } from './gpu-database.ts';

const gibibyte = 2 ** 30;
/** Error correction takes a sixteenth of a card's memory, and the driver some more; the next smaller card of a kind has a sixth less. */
const leastShare = 0.86;

/**
 * A model of which a driver or a name tells, in the spelling of the database where it lists cards of the same name: `SXM` becomes SXM5, and the 45 Gi
 * that a driver leaves of an L40S the 48 Gi that it is sold with. What the database does not decide stays as it was told, in whole Gi. The memory in a
 * product's name counts where nothing else tells: that of a GH200 is its processor's.
 */
export function completedModel(told: GpuModel, memoryInName: number, listed: readonly GpuModel[]): GpuModel {
  const sisters = listed.filter(({ name }) => name === told.name);
  const built = sisters.filter((each) => told.interface === '' || familyOf(each.interface) === familyOf(told.interface));
  const memoryBytes = memoryOf(told.memoryBytes, memoryInName, built.length === 0 ? sisters : built);
  const alike = built.filter((each) => each.memoryBytes === memoryBytes);
  const forms = (alike.length === 0 ? built : alike).map((each) => each.interface);
  return { name: told.name, interface: forms.includes(told.interface) ? told.interface : (only(forms) ?? told.interface), memoryBytes };
}

function memoryOf(told: number, inName: number, sisters: readonly GpuModel[]): number {
  const sizes = sisters.map((each) => each.memoryBytes).filter((size) => size > 0);
  const isTold = Number.isSafeInteger(told) && told > 0;
  const reported = isTold ? told : inName;
  const fitting = sizes.filter((size) => reported <= size * 1.005 && reported >= size * leastShare);
  if (fitting.length > 0) return Math.min(...fitting);
  if (isTold || sizes.length === 0) return Math.ceil(reported / gibibyte) * gibibyte;
  return only(sizes) ?? 0;
}

/** The one value that all have. */
function only<T>(values: readonly T[]): T | undefined {
  return new Set(values).size === 1 ? values[0] : undefined;
}

/** SXM4 and SXM5 are SXM. */
const familyOf = (form: string): string => form.toLowerCase().replace(/[0-9]+$/, '');
