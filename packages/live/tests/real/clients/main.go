// Three jobs beside kschedlab serve, with Kubernetes' own client:
//
//	go run . drive KUBECONFIG         typed clients at work, in protobuf (their default) and in JSON
//	go run . messages SEED            objects in protobuf and JSON, for tests/data/messages.jsonl.gz
//	go run . applies SEED COUNT       server-side applies, for tests/data/applies.jsonl.gz
package main

import (
	"os"
	"strconv"

	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	switch os.Args[1] {
	case "messages":
		printMessages(int64(got(strconv.Atoi(os.Args[2]))))
		return
	case "applies":
		printApplies(int64(got(strconv.Atoi(os.Args[2]))), got(strconv.Atoi(os.Args[3])))
		return
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[2])
	check(err)
	for _, contentType := range []string{"", "application/json", "application/vnd.kubernetes.protobuf"} {
		config.ContentType = contentType
		drive(config)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
