/**
 * What others' health checks say of a node, and what that keeps from being sold. A row names a type of condition, the key of a taint or the key of
 * a label; the first row that matches decides, and a provider's own rows come before those that are shipped.
 */
export interface HealthSignal {
  readonly kind: 'condition' | 'taint' | 'label';
  /** `*` stands for any text. */
  readonly name: string;
  /** Statuses of the condition, values of the taint or label; any when absent. */
  readonly is?: readonly string[] | undefined;
  readonly holds: Held;
}

/** `gpus`: the cards that the signal names, or all of the node's where it names none that we know. */
export type Held = 'node' | 'gpus' | 'nothing';

/** What the kubelet itself says of its node. It is judged apart, and no row changes that. */
export const kubeletConditions: ReadonlySet<string> = new Set([
  'Ready',
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
]);

const conditions = (holds: Held, status: string, names: readonly string[]): readonly HealthSignal[] =>
  names.map((name) => ({ kind: 'condition', name, is: [status], holds }));

const taints = (holds: Held, names: readonly string[]): readonly HealthSignal[] => names.map((name) => ({ kind: 'taint', name, holds }));

export const defaultHealthSignals: readonly HealthSignal[] = [
  // node-problem-detector, as it ships and as AKS configures it.
  ...conditions('node', 'True', [
    'KernelDeadlock',
    'ReadonlyFilesystem',
    'XfsShutdown',
    'CperHardwareErrorFatal',
    'CorruptDockerOverlay2',
    'FilesystemCorruptionProblem',
    'FrequentUnregisterNetDevice',
    'FrequentKubeletRestart',
    'FrequentContainerdRestart',
    'FrequentDockerRestart',
    'KubeletUnhealthy',
    'KubeletProblem',
    'ContainerRuntimeUnhealthy',
    'ContainerRuntimeProblem',
  ]),
  ...conditions('gpus', 'True', ['GPUMissing', 'NVLinkStatusInactive', 'XIDErrors']),
  // The node monitoring agent of EKS; what it says of GPUs comes from DCGM.
  ...conditions('node', 'False', ['KernelReady', 'StorageReady', 'NetworkingReady', 'ContainerRuntimeReady']),
  ...conditions('gpus', 'False', ['AcceleratedHardwareReady']),
  // NVSentinel: the health watches of DCGM, the system's log and NVSwitches. It sets conditions for fatal errors only.
  ...conditions('gpus', 'True', ['Gpu*Watch', 'Gpu*Error', 'SysLogs*Error', 'SysLogsGPUFallenOff', 'NVSwitchFatalError', 'NVSwitchDown']),
  ...conditions('node', 'True', ['CSPMaintenance']),
  ...taints('gpus', ['nvidia.com/gpu-*error', 'nvidia.com/syslog-*error', 'gpu.health/*', 'nvlink.health/*', 'nvswitch.health/*']),
  {
    kind: 'label',
    name: 'dgxc.nvidia.com/nvsentinel-state',
    is: ['quarantined', 'draining', 'drain-succeeded', 'drain-failed', 'remediating', 'remediation-failed'],
    holds: 'node',
  },
  // The GPU operator, while it cuts cards anew or replaces their driver. `upgrade-required` waits for its turn, and may for days.
  { kind: 'label', name: 'nvidia.com/mig.config.state', is: ['pending', 'rebooting', 'failed'], holds: 'gpus' },
  {
    kind: 'label',
    name: 'nvidia.com/gpu-driver-upgrade-state',
    is: [
      'cordon-required',
      'wait-for-jobs-required',
      'pod-deletion-required',
      'drain-required',
      'node-maintenance-required',
      'post-maintenance-required',
      'pod-restart-required',
      'validation-required',
      'uncordon-required',
      'upgrade-failed',
    ],
    holds: 'gpus',
  },
];

/** What a signal holds back, by the first row that matches it. */
export function heldBy(rows: readonly HealthSignal[], kind: HealthSignal['kind'], name: string, value: string): Held {
  const row = rows.find((each) => each.kind === kind && isLike(each.name, name) && each.is?.includes(value) !== false);
  return row?.holds ?? 'nothing';
}

/** Whether the text is the pattern, in which each `*` stands for any text, also for none. */
export function isLike(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  let from = first.length;
  if (!text.startsWith(first)) return false;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
