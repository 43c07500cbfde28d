/**
 * Keeps the calls of one client from flooding the rate limit. After a 429 they pass one at a time, first come, first served,
 * until the queue is empty: a hundred parallel calls then use the slots as they become free instead of wasting their retries
 * on each other.
 */
export declare class RateGate {
    #private;
    /** Resolves when the call may be sent. Rejects with the signal's reason. */
    enter(signal?: AbortSignal): Promise<Turn>;
    /** A call was refused: from now on one at a time. */
    narrow(): void;
}
export interface Turn {
    /** False when the gate is open, or after leaving. */
    held: boolean;
    /** Lets the next one go. More than once does no harm. */
    leave(): void;
}
