/** Resolves after the time, or rejects with the signal's reason; leaves no timer and no listener behind. */
export declare function sleep(ms: number, signal?: AbortSignal): Promise<void>;
