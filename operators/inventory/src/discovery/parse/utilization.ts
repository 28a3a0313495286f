import { gpuUuid } from './nvidia-proc.ts';
import { known, parseGpuQuery, wholeNumber } from './nvidia-smi.ts';

/** How busy one GPU is right now. */
export interface GpuUsage {
  readonly uuid: string;
  readonly utilizationPercent?: number | undefined;
  readonly memoryUsedBytes?: number | undefined;
  readonly temperatureCelsius?: number | undefined;
  readonly powerWatts?: number | undefined;
}

export const usageQueryFields: readonly string[] = ['uuid', 'utilization.gpu', 'memory.used', 'temperature.gpu', 'power.draw'];

/** Usage by card, from `nvidia-smi --query-gpu` with the fields above. What a card does not tell (a card in MIG mode) is absent. */
export function parseUsage(text: string): GpuUsage[] {
  return parseGpuQuery(text, usageQueryFields).flatMap((fields) => {
    const uuid = gpuUuid(fields.get('uuid'));
    if (uuid === undefined) return [];
    const utilization = wholeNumber(known(fields.get('utilization.gpu')));
    const mebibytes = wholeNumber(known(fields.get('memory.used')));
    const temperature = wholeNumber(known(fields.get('temperature.gpu')));
    const watts = /^\d{1,5}(\.\d{1,4})?$/.exec(fields.get('power.draw') ?? '')?.[0];
    return [
      {
        uuid,
        utilizationPercent: utilization && Math.min(utilization, 100),
        memoryUsedBytes: mebibytes && mebibytes * 2 ** 20,
        temperatureCelsius: temperature,
        powerWatts: watts === undefined ? undefined : Number(watts),
      },
    ];
  });
}
