// Recording.
export { createRecorder, type Recorder, type RecorderOptions } from "./record/create-recorder.ts";

// Recordings.
export { parseRecording } from "./recording/parse-recording.ts";
export { readRecording } from "./recording/read-recording.ts";
export type { Recording } from "./recording/recorded-event.ts";

// Playing back.
export { createReplay, type Replay, type ReplayOptions } from "./play/create-replay.ts";

// Serving what was recorded.
export { startReplayServer, type ReplayServer, type ReplayServerOptions } from "./serve/start-replay-server.ts";
