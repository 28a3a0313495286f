import type { CardGroupJson, GpuWantJson } from '@quartermaster/api/cluster';

/** Numbers of 64 bits come as texts; one that is 0 does not come at all. */
export const numberOf = (value: string | number | undefined): number => Number(value ?? 0);

const gib = 1024 ** 3;

/** `nvidia h100 SXM5 80Gi`: as the inventory tells cards apart. What is not known is left out. */
export function groupName({ vendor = '', model = '', interface: form = '', memoryBytes }: CardGroupJson): string {
  const memory = numberOf(memoryBytes) === 0 ? '' : `${Math.round(numberOf(memoryBytes) / gib)}Gi`;
  return [vendor, model, form, memory].filter((part) => part !== '').join(' ');
}

/** `any nvidia`, `nvidia h100 sxm 80Gi`. */
export function wantName({ vendor = '', model = '', ...rest }: GpuWantJson): string {
  return model === '*' ? ['any', groupName({ vendor, ...rest })].join(' ') : groupName({ vendor, model, ...rest });
}

/** A group of cards as an order asks for it: without the generation of its interface. */
export function wantOf({ vendor = '', model = '', interface: form = '', memoryBytes }: CardGroupJson): GpuWantJson {
  return {
    vendor,
    model,
    ...(form !== '' && { interface: bareInterface(form) }),
    ...(numberOf(memoryBytes) > 0 && { memoryBytes: String(memoryBytes) }),
  };
}

/** Whether cards of the group are what is wanted. */
export function isWanted(group: CardGroupJson, want: GpuWantJson): boolean {
  const { vendor, model, interface: form, memoryBytes } = wantOf(group);
  const same = (a: string | undefined, b: string | undefined): boolean => (a ?? '').toLowerCase() === (b ?? '').toLowerCase();
  return (
    same(vendor, want.vendor) &&
    same(model, want.model) &&
    (want.interface === undefined || same(form, bareInterface(want.interface))) &&
    (want.memoryBytes === undefined || Math.round(numberOf(memoryBytes) / gib) === Math.round(numberOf(want.memoryBytes) / gib))
  );
}

const bareInterface = (form: string): string => form.toLowerCase().replace(/^(sxm|pcie).*$/, '$1');
