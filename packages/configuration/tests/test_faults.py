"""Configurations that the real scheduler refuses: the messages and their places."""

import pytest

from kschedlab.generations import V1_16, V1_20
from kschedlab.manifests.loading import ManifestError
from kschedlab_configuration import load_configuration

NOT_A_KEY = '"a b" is not a valid key: use letters, digits, -, _ and . (at most 63), optionally after a domain/'
V1 = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def faults(text: str, head: str = V1) -> list[str]:
    """The line and message of every problem."""
    with pytest.raises(ManifestError) as error:
        load_configuration(head + text)
    return [f"{problem.line}: {problem.message}" for problem in error.value.problems]


def argument_faults(plugin: str, args: str) -> list[str]:
    """The faults of plugin arguments (the inside of a YAML map), with paths inside ``args``."""
    messages = faults(f"profiles:\n- pluginConfig:\n  - name: {plugin}\n    args: {{{args}}}\n")
    assert all(fault.startswith("6: profiles[0].pluginConfig[0].args.") for fault in messages)
    return [fault.removeprefix("6: profiles[0].pluginConfig[0].args.") for fault in messages]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("bindingTimeout: 999ms", 'bindingTimeout: Invalid value: "999ms": must be at least 1 second'),
        ("filterTimeout: -1s", 'filterTimeout: Invalid value: "-1s": must be zero or positive'),
        (
            "bindingTimeout: soon",
            'bindingTimeout: Invalid value: "soon": is not a duration: write 500ms, 5s or 1m30s',
        ),
        ("filterTimeout: 5", 'filterTimeout: 5 is a number, not text: put it in quotes ("5")'),
    ],
)
def test_time_limits_of_devices(args, expected):
    assert argument_faults("DynamicResources", args) == [expected]


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ("filter: {enabled: [{name: Foo}]}", 'filter.enabled[0]: FilterPlugin "Foo" does not exist'),
        ("multiPoint: {enabled: [{name: Foo}]}", 'multiPoint.enabled[0]: PreFilterPlugin "Foo" does not exist'),
        (
            "filter: {enabled: [{name: ImageLocality}]}",
            'filter.enabled[0]: plugin "ImageLocality" does not extend FilterPlugin plugin',
        ),
        (
            "score: {enabled: [{name: ImageLocality}, {name: ImageLocality}]}",
            'score.enabled[1]: plugin "ImageLocality" already registered as "ScorePlugin"',
        ),
        (
            "multiPoint: {enabled: [{name: NodePorts}, {name: NodePorts}]}",
            'multiPoint.enabled[1]: plugin "NodePorts" already registered as "PreFilterPlugin"',
        ),
        (
            "filter: {enabled: [{name: EBSLimits}]}",
            'filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1"',
        ),
        (
            "score: {enabled: [{name: ImageLocality, weight: -1}]}",
            "score: total score of Score plugins could overflow",
        ),
    ],
)
def test_plugins_that_cannot_run(plugins, expected):
    assert faults(f"profiles:\n- plugins: {{{plugins}}}\n") == [f"4: profiles[0].plugins.{expected}"]


def test_a_profile_needs_queue_sort_and_bind():
    messages = faults('profiles:\n- plugins:\n    multiPoint: {disabled: [{name: "*"}]}\n')
    assert messages == [
        "4: profiles[0].plugins: at least one bind plugin is needed for profile with scheduler name "
        '"default-scheduler"',
        "4: profiles[0].plugins: only one queue sort plugin required for profile with scheduler name "
        '"default-scheduler", but got 0',
    ]


def test_profiles_need_different_names_and_the_same_queue_sort():
    messages = faults(
        "profiles:\n- schedulerName: a\n- schedulerName: a\n- {}\n"
        "- schedulerName: b\n  plugins: {queueSort: {enabled: [{name: PrioritySort}]}}\n"
    )
    assert messages == [
        '5: profiles[1].schedulerName: Duplicate value: "a"',
        "6: profiles[2].schedulerName: Required value",
        "8: profiles[3].plugins.queueSort: Invalid value: must be the same for all profiles",
    ]


def test_numbers_out_of_range():
    messages = faults(
        "parallelism: 0\npercentageOfNodesToScore: 101\npodInitialBackoffSeconds: 0\npodMaxBackoffSeconds: -1\n"
    )
    assert messages == [
        "3: parallelism: Invalid value: 0: should be an integer value greater than zero",
        "4: percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
        "5: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
        "6: podMaxBackoffSeconds: Invalid value: -1: must be greater than or equal to PodInitialBackoffSeconds",
    ]


def test_extenders():
    messages = faults(
        "extenders:\n- {prioritizeVerb: p, bindVerb: b}\n"
        "- {bindVerb: b, managedResources: [{name: cpu}, {name: a.com/b}, {name: a.com/b}, {name: a b}]}\n"
    )
    assert messages == [
        '3: extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
        "4: extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
        '5: extenders[1].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
        '5: extenders[1].managedResources[2].name: Invalid value: "a.com/b": duplicate extender managed resource name',
        f"5: extenders[1].managedResources[3].name: Invalid value: {NOT_A_KEY}",
    ]


@pytest.mark.parametrize(
    ("extender", "message"),
    [
        (
            '{urlPrefix: "127.0.0.1:80", filterVerb: f}',
            'extenders[0].urlPrefix: "127.0.0.1:80" is not the URL of an extender: write http://HOST:PORT/PATH',
        ),
        ("{urlPrefix: 'file:///etc', bindVerb: b}", 'extenders[0].urlPrefix: "file:///etc" is not the URL'),
        ("{urlPrefix: 'http://x', filterVerb: f, httpTimeout: 5}", "extenders[0].httpTimeout: "),
        ("{urlPrefix: 'http://x', filterVerb: f, httpTimeout: soon}", 'Invalid value: "soon": is not a duration'),
        ("{urlPrefix: 'http://x', filterVerb: f, httpTimeout: 2h}", 'Invalid value: "2h": must be between 0 and 1h'),
        ("{urlPrefix: 'https://x', filterVerb: f, tlsConfig: {caFile: /none}}", "extenders[0].tlsConfig: the TLS"),
        ("{urlPrefix: 'https://x', filterVerb: f, tlsConfig: {caData: '%'}}", "extenders[0].tlsConfig: the TLS"),
    ],
)
def test_an_extender_that_cannot_be_called(extender, message):
    (found,) = faults(f"extenders:\n- {extender}\n")
    assert message in found


def test_unknown_fields_and_values_of_the_wrong_type():
    messages = faults(
        "metadata: {}\nprofiles:\n- schedulerName: 1\n  plugins: {filter: {enable: []}}\n  pluginConfig: 3\n"
    )
    assert messages == [
        '3: metadata: unknown field "metadata"',
        '5: profiles[0].schedulerName: 1 is a number, not text: put it in quotes ("1")',
        '6: profiles[0].plugins.filter.enable: unknown field "enable"',
        "7: profiles[0].pluginConfig: expected a list, not a number",
    ]


def test_a_field_of_v1_is_unknown_in_v1beta1():
    head = V1.replace("/v1", "/v1beta1")
    assert faults("profiles: [{percentageOfNodesToScore: 3}]\n", head) == [
        '3: profiles[0].percentageOfNodesToScore: unknown field "percentageOfNodesToScore"'
    ]


def test_duplicate_arguments_or_those_of_another_plugin():
    messages = faults(
        "profiles:\n- pluginConfig:\n  - name: NodeAffinity\n  - name: NodeAffinity\n"
        "  - {name: VolumeBinding, args: {kind: NodeAffinityArgs}}\n  - {name: InterPodAffinity, args: 3}\n"
        "  - {name: PodTopologySpread, args: {apiVersion: v1}}\n  - {name: EBSLimits}\n"
    )
    assert messages == [
        '6: profiles[0].pluginConfig[1]: Duplicate value: "NodeAffinity"',
        "7: profiles[0].pluginConfig[2].args.kind: args for plugin VolumeBinding were not of type "
        "VolumeBindingArgs.kubescheduler.config.k8s.io",
        "8: profiles[0].pluginConfig[3].args: expected a map of fields",
        "9: profiles[0].pluginConfig[4].args.apiVersion: expected args of kubescheduler.config.k8s.io/v1",
        '10: profiles[0].pluginConfig[5]: Invalid value: "EBSLimits": was invalid in version "v1"',
    ]


@pytest.mark.parametrize(
    ("plugin", "args", "expected"),
    [
        (
            "NodeResourcesFit",
            "scoringStrategy: {type: Foo}",
            'scoringStrategy.type: Unsupported value: "Foo": supported values: "LeastAllocated", "MostAllocated", '
            '"RequestedToCapacityRatio"',
        ),
        (
            "NodeResourcesFit",
            "scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 101}]}",
            "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range "
            "(0, 100]",
        ),
        (
            "NodeResourcesFit",
            "scoringStrategy: {type: RequestedToCapacityRatio}",
            "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
            "RequestedToCapacityRatio",
        ),
        (
            "NodeResourcesFit",
            "scoringStrategy: {type: MostAllocated, requestedToCapacityRatio: {shape: []}}",
            "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not "
            "RequestedToCapacityRatio",
        ),
        (
            "NodeResourcesFit",
            "ignoredResourceGroups: [example.com/gpu]",
            "ignoredResourceGroups[0]: Invalid value: \"example.com/gpu\": resource group name can't contain '/'",
        ),
        (
            "NodeResourcesBalancedAllocation",
            "resources: [{name: cpu, weight: 2}]",
            "resources[0].weight: Invalid value: 2: must be 1",
        ),
        (
            "NodeResourcesBalancedAllocation",
            "resources: [{name: cpu}, {name: cpu}]",
            'resources[1].name: Duplicate value: "cpu"',
        ),
        (
            "InterPodAffinity",
            "hardPodAffinityWeight: 101",
            "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]",
        ),
        (
            "DefaultPreemption",
            "minCandidateNodesPercentage: 101",
            "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
        ),
        (
            "DefaultPreemption",
            "minCandidateNodesAbsolute: -1",
            "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)",
        ),
        (
            "VolumeBinding",
            "shape: [{utilization: 0, score: 11}]",
            "shape[0].score: Invalid value: 11: not in valid range [0, 10]",
        ),
        (
            "VolumeBinding",
            "shape: [{utilization: 9, score: 1}, {utilization: 9, score: 2}]",
            "shape[1].utilization: Invalid value: 9: values must be sorted in increasing order",
        ),
        (
            "VolumeBinding",
            "bindTimeoutSeconds: -1",
            "bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
        ),
        (
            "PodTopologySpread",
            "defaultingType: Foo",
            'defaultingType: Unsupported value: "Foo": supported values: "System", "List"',
        ),
        (
            "PodTopologySpread",
            "defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]",
            'defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
        ),
        ("InterPodAffinity", "foo: 1", 'foo: unknown field "foo"'),
    ],
)
def test_arguments_that_are_refused(plugin, args, expected):
    assert argument_faults(plugin, args) == [expected]


def test_default_constraints_that_are_refused():
    same = "{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}"
    odd = "{whenUnsatisfiable: Foo, labelSelector: {}}"
    unset = "{maxSkew: 1, topologyKey: a b}"
    messages = argument_faults(
        "PodTopologySpread", f"defaultingType: List, defaultConstraints: [{same}, {same}, {odd}, {unset}]"
    )
    assert messages == [
        'defaultConstraints[1]: Duplicate value: "{a, DoNotSchedule}"',
        "defaultConstraints[2].labelSelector: Forbidden: constraint must not define a selector, as they deduced for "
        "each pod",
        "defaultConstraints[2].maxSkew: Invalid value: 0: not in valid range (0, inf)",
        "defaultConstraints[2].topologyKey: Required value: can not be empty",
        'defaultConstraints[2].whenUnsatisfiable: Unsupported value: "Foo": supported values: "DoNotSchedule", '
        '"ScheduleAnyway"',
        f"defaultConstraints[3].topologyKey: Invalid value: {NOT_A_KEY}",
        "defaultConstraints[3].whenUnsatisfiable: Required value: can not be empty",
    ]


@pytest.mark.parametrize(
    ("plugin", "args", "expected"),
    [
        (
            "NodeResourcesLeastAllocated",
            "resources: [{name: cpu, weight: 0}]",
            "resources[0].weight: Invalid value: 0: resource weight of cpu should be a positive value",
        ),
        (
            "RequestedToCapacityRatio",
            "shape: [{utilization: 0, score: 1}], resources: [{name: cpu, weight: -1}]",
            "resources[0].weight: Invalid value: -1: resource cpu weight -1 must not be less than 1",
        ),
        (
            "NodeLabel",
            "presentLabelsPreference: [a, b], absentLabelsPreference: [b]",
            '"b" is in both the present and the absent label list',
        ),
    ],
)
def test_arguments_of_v1_20_that_are_refused(plugin, args, expected):
    """v1.20: pkg/scheduler/apis/config/validation/validation_pluginargs.go."""
    text = f"profiles:\n- pluginConfig:\n  - name: {plugin}\n    args: {{{args}}}\n"
    (found,) = faults(text, V1.replace("/v1", "/v1beta1"))
    assert found.startswith("6: profiles[0].pluginConfig[0].args") and found.endswith(expected)


def test_preemption_without_candidates():
    messages = argument_faults("DefaultPreemption", "minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0")
    assert messages == [
        "minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage",
        "minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute",
    ]


def test_labels_of_added_affinity_are_validated_like_a_pod_s():
    term = "{matchExpressions: [{key: a, operator: In}]}"
    required = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{term}]}}"
    (message,) = argument_faults("NodeAffinity", f"addedAffinity: {{{required}}}")
    assert message.startswith("addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]")
    preferred = f"[{{weight: 0, preference: {term}}}, {{weight: 1, preference: {term}}}]"
    (message,) = argument_faults(
        "NodeAffinity", f"addedAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: {preferred}}}"
    )
    assert message.startswith("addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].preference")


def test_a_plugin_that_needs_arguments():
    head = V1.replace("/v1", "/v1beta1")
    text = "profiles:\n- plugins: {score: {enabled: [{name: RequestedToCapacityRatio}]}}\n"
    assert faults(text, head) == ['4: profiles[0].pluginConfig: "RequestedToCapacityRatio" needs arguments']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n", "1: expected a map with apiVersion and kind"),
        ("# nothing\n", "1: expected one configuration in the file, not none"),
        (f"{V1}---\n{V1}", "4: expected one configuration in the file, not 2"),
        (f"{V1}foo: 1\nfoo: 2\n", '4: the key "foo" appears twice in the same map'),
        ("kind: Pod\napiVersion: v1\n", "1: kind: is not a supported value: expected KubeSchedulerConfiguration of"),
        ("apiVersion: v1\n", "1: kind: is missing: expected"),
        ("kind: KubeSchedulerConfiguration\n", "1: apiVersion: is missing: expected"),
        (V1.replace("/v1", "/v9"), "1: apiVersion: is not a supported value: expected"),
        ("kind: [\n", "1: not valid YAML"),
    ],
)
def test_documents_that_are_not_configurations(text, expected):
    (message,) = faults(text, "")
    assert message.startswith(expected)


@pytest.mark.parametrize("base", [V1_20, V1_16])
def test_a_generation_that_does_not_read_this_format(base):
    said = f"is read by v1.37, .* or v1.28, not by {base.name}: choose another generation"
    with pytest.raises(ManifestError, match=said):
        load_configuration(V1, base)


def test_a_folder_and_a_missing_file(tmp_path):
    with pytest.raises(ManifestError, match="is a folder: name one file"):
        load_configuration(tmp_path)
    with pytest.raises(ManifestError, match="there is no such file"):
        load_configuration(str(tmp_path / "none.yaml"))
