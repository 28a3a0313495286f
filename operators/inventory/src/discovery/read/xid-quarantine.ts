import type { GpuFacts, GpuHealth } from '@quartermaster/api/node-hardware';
import { kernelLogPath } from '../machine/machine-reader.ts';
import { parseStartTime, parseXids, type XidReport, xidText } from '../parse/nvidia-xid.ts';
import type { Readings } from './readings.ts';
import { isSameCard } from './same-card.ts';

export const xidCode = 'XidError';

/** Which run of the machine this is, and when it began, in milliseconds since the epoch. */
interface MachineRun {
  readonly bootId: string | undefined;
  readonly startedAt: number | undefined;
}

/**
 * The cards, those unhealthy of which the driver reported a fatal error (Xid): by the kernel's log, or by what was `known` of this machine, since the log forgets. What is known is
 * lifted by the machine's restart, by a driver that is loaded anew, and by a person who calls the card fit.
 */
export async function quarantineByXids(
  readings: Readings,
  gpus: readonly GpuFacts[],
  known: readonly GpuFacts[] = [],
): Promise<readonly GpuFacts[]> {
  if (!gpus.some(({ vendorId }) => vendorId === '10de')) return gpus;
  const bootId = (await readings.quietText('/proc/sys/kernel/random/boot_id'))?.trim() || undefined;
  const reports = parseXids((await readings.quietText(kernelLogPath)) ?? '', knownReports(gpus, known, bootId));
  if (reports.size === 0) return gpus;
  const run = { bootId, startedAt: parseStartTime((await readings.text('/proc/stat')) ?? '') };
  return gpus.map((gpu) => {
    const report = gpu.vendorId === '10de' ? reports.get(gpu.pciAddress) : undefined;
    return report === undefined ? gpu : { ...gpu, health: xidHealth(gpu, report, run, known) };
  });
}

function knownReports(gpus: readonly GpuFacts[], known: readonly GpuFacts[], bootId: string | undefined): ReadonlyMap<string, XidReport> {
  const reports = new Map<string, XidReport>();
  for (const older of known) {
    const { code, xids = [], bootId: since } = older.health;
    const isOver = since !== undefined && bootId !== undefined && since !== bootId;
    if (code !== xidCode || isOver || !gpus.some((gpu) => isSameCard(older, gpu))) continue;
    reports.set(older.pciAddress, { codes: xids });
  }
  return reports;
}

function xidHealth(
  gpu: GpuFacts,
  { codes, sinceStartMs }: XidReport,
  { bootId, startedAt }: MachineRun,
  known: readonly GpuFacts[],
): GpuHealth {
  const reason = xidText(codes, gpu.pciAddress);
  const before = known.find((older) => isSameCard(older, gpu))?.health;
  const isTimed = startedAt !== undefined && sinceStartMs !== undefined;
  // The time of the machine's start is computed from a clock that is set now and then.
  const since = isTimed && before?.reason !== reason ? new Date(startedAt + sinceStartMs).toISOString() : before?.since;
  return { state: 'unhealthy', reason, code: xidCode, since, xids: codes, bootId };
}
