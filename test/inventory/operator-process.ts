/**
 * One replica of the operator as a process of its own, so that it can be killed: started with the path of a kubeconfig by
 * `startOperatorProcess`, tells the address of its gRPC API once it is ready, and ends when the process that started it does.
 */
import { startOperator } from './running-operator.ts';

const [kubeconfig = ''] = process.argv.slice(2);
const operator = await startOperator({ kubeconfig });
process.on('disconnect', () => void operator.stop());
process.send?.({ grpcAddress: operator.served.grpc });
