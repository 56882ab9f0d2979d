// A bot that answers comments: it reads its notifications, replies to each mention, and marks it as read.
//
//   TOKEN=… node examples/bot.js http://127.0.0.1:8080
import { Client } from "../typescript/index.js";

const client = new Client(process.argv[2], { token: process.env.TOKEN });
const me = await client.getCurrentUser();
let replies = 0;
for await (const notification of client.allMyNotifications({ unread: true })) {
  if (notification.kind === "mentioned_you" && notification.parent !== null) { // the block of the comment
    await client.createBlockComment(notification.parent.id, { body: `Thank you, says ${me.name}.` });
    replies++;
  }
  await client.markMyNotificationRead(notification.id);
}
console.log(`replied ${replies} times`);
