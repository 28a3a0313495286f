import { startSimulatedServer } from '../contract/simulated-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeReservationObjects } from './reservation-objects.ts';

describeReservationObjects(withServer(startSimulatedServer));
