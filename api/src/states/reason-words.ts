const words: Readonly<Record<string, string>> = {
  ReadyUnknown: 'silent',
  NotReady: 'not ready',
  Cordoned: 'cordoned',
  Tainted: 'tainted',
  Excluded: 'excluded by the configuration',
  OverAllocated: 'over-allocated',
  OverCommitted: 'over-committed',
  PodsFull: 'full of pods',
  HealthSignal: 'failing a health check',
  GpuHealthSignal: 'failing a health check',
  GpuReportUnread: 'whose report cannot be read',
  VolumesUnread: 'whose volumes cannot be read',
  MemoryVolumes: 'with volumes in memory',
  LocalVolumes: 'with volumes on their disk',
  NotOffered: 'with cards that the kubelet does not offer',
};

/** `DiskPressure` -> `disk pressure`: codes are for programs. */
export const reasonWords = (code: string): string =>
  words[code] ??
  code
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_all, before = '', after = '', last = '') => `${before}${last} ${after}`)
    .replaceAll(/\b([A-Z])(?=[a-z])/g, (letter) => letter.toLowerCase());
