import { Option } from 'commander';
import { countOption } from '../../text/count-option.ts';

/** How a request is said on a command line. Apart from what reads it, which command lines are understood without. */
export const requestOptions = (): readonly Option[] => [
  new Option('-f, --filename <file>', 'YAML or JSON file with the request, or - for standard input'),
  new Option('--cpu <amount>', 'instead of a file: CPU of each replica, such as 500m or 4'),
  new Option('--memory <amount>', 'memory of each replica, such as 16Gi'),
  new Option('--storage <amount>', 'ephemeral storage of each replica, such as 100Gi'),
  new Option(
    '--gpu <model[=count]>',
    'GPUs of each replica: h100=2, amd/mi300x=1, or *=1 for any of the vendor; nvidia unless another is named',
  ),
  countOption('--replicas <count>', 'replicas that are alike (default: 1)'),
];
